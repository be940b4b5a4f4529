#pragma once
// Position-wise feed-forward networks, section 3.3, and their gated sibling.
#include "model/linear.h"

namespace hexapla::model {

struct FeedForwardSaved {
  Tensor x, inner, hidden;
  Tensor activated, linear;  // the two factors of `hidden`, only in the gated one
};

// FFN(x) = f(x W1 + b1) W2 + b2; the paper's f is max(0, .).
struct FeedForward {
  Activation activation;
  Linear inner, outer;
  Dropout dropout;  // on the hidden layer, off by default

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

using AnyFeedForward = std::variant<FeedForward, GatedFeedForward>;

inline Tensor forward(const AnyFeedForward& ffn, Context& cx, Tensor x, Offsets rows, FeedForwardSaved& s) {
  return std::visit([&](const auto& m) { return m.forward(cx, x, rows, s); }, ffn);
}
inline void backward(const AnyFeedForward& ffn, Context& cx, const FeedForwardSaved& s, Tensor dy, Tensor d) {
  std::visit([&](const auto& m) { m.backward(cx, s, dy, d); }, ffn);
}

}  // namespace hexapla::model
