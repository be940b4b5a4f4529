#pragma once
// A trained feed-forward network of which each token uses only a part: its hidden units, in groups
// of equal size, are the experts, and those with the highest scores are used (Zhang et al. 2022,
// "MoEfication: Transformer Feed-forward Layers are Mixtures of Experts"). There are no gates: with
// all experts it equals the original network.
#include "model/layers/linear.h"
#include "ops/routing.h"

namespace hexapla::model {

// Ways to choose a token's experts. This one takes the sum of an expert's activations, which is
// known only after computing them: an upper limit for any router.
struct ByActivation {
  int64_t experts;
  void visit(auto&&) {}
  Tensor scores(Context& cx, Tensor x, Tensor hidden) const;
};
// Predicts the choice from the input.
struct ByRouter {
  Linear router;  // [d_model, E]
  void visit(auto&& f) { f("router", router); }
  Tensor scores(Context& cx, Tensor x, Tensor hidden) const;
};

// Hidden unit i belongs to expert i / (d_ff / E). All units are computed, and those of unused
// experts set to 0: this measures the quality cost of a choice. The choice is not differentiated.
struct SplitFeedForward {
  Activation activation;
  Linear inner, outer;
  std::variant<ByActivation, ByRouter> choice;
  int64_t active;  // experts used per token, at most E

  void visit(auto&& f) {
    f("inner", inner);
    f("outer", outer);
    f("choice", choice);
  }

  struct Saved {
    Tensor x, inner, hidden;
    Tensor chosen;  // [N, active] i32
    int64_t experts = 0;
  };
  Tensor forward(Context& cx, Tensor x, Offsets rows, Saved& s) const;
  void backward(Context& cx, const Saved& s, Tensor dy, Tensor d) const;  // d += J^T dy
};

}  // namespace hexapla::model
