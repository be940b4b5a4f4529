#pragma once
// Position-wise feed-forward networks, section 3.3, and variants: gated, and mixtures of experts.
#include "model/layers/mixture_of_experts.h"

namespace hexapla::model {

struct FeedForwardSaved {
  Tensor x, inner, hidden;
  Tensor activated, linear;  // the two factors of `hidden`, gated variant only
};

// FFN(x) = f(x W1 + b1) W2 + b2; in the paper f is max(0, .).
struct FeedForward {
  Activation activation;
  Linear inner, outer;
  Dropout dropout;  // on the hidden layer, off by default

  using Saved = FeedForwardSaved;
  FeedForward(Activation f, int64_t d_model, int64_t d_ff, double p)
      : activation(f), inner(d_model, d_ff, true), outer(d_ff, d_model, true), dropout{p} {}
  void visit(auto&& f) {
    f("inner", inner);
    f("hidden_dropout", dropout);
    f("outer", outer);
  }
  Tensor forward(Context& cx, Tensor x, Offsets rows, FeedForwardSaved& s) const;
  void backward(Context& cx, const FeedForwardSaved& s, Tensor dy, Tensor d) const;  // d += J^T dy
};

// FFN(x) = (f(x W1 + b1) * (x V + c)) W2 + b2 (Shazeer 2020, "GLU variants improve Transformer").
struct GatedFeedForward {
  Activation activation;
  Linear inner, linear, outer;
  Dropout dropout;

  using Saved = FeedForwardSaved;
  GatedFeedForward(Activation f, int64_t d_model, int64_t d_ff, double p)
      : activation(f),
        inner(d_model, d_ff, true),
        linear(d_model, d_ff, true),
        outer(d_ff, d_model, true),
        dropout{p} {}
  void visit(auto&& f) {
    f("inner", inner);
    f("linear", linear);
    f("hidden_dropout", dropout);
    f("outer", outer);
  }
  Tensor forward(Context& cx, Tensor x, Offsets rows, FeedForwardSaved& s) const;
  void backward(Context& cx, const FeedForwardSaved& s, Tensor dy, Tensor d) const;
};

using AnyFeedForward = std::variant<FeedForward, GatedFeedForward, MixtureOfExperts>;
using AnyFeedForwardSaved = std::variant<FeedForwardSaved, MixtureOfExperts::Saved>;

Tensor forward(const AnyFeedForward& ffn, Context& cx, Tensor x, Offsets rows, AnyFeedForwardSaved& s);
void backward(const AnyFeedForward& ffn, Context& cx, const AnyFeedForwardSaved& s, Tensor dy, Tensor d);
// Call after a forward pass in training: returns the balancing loss of the experts; backward will
// add its gradient times `scale`. 0 for a network without experts.
double balance(AnyFeedForwardSaved& s, double scale);

}  // namespace hexapla::model
