#pragma once
// A trained feed-forward network of which a token uses only a part: its hidden units, in groups of equal size, are the
// experts, and those with the highest scores take part (Zhang et al. 2022, "MoEfication: Transformer Feed-forward
// Layers are Mixtures of Experts"). There are no gates: with all experts it is the network that it was made of.
#include "model/linear.h"
#include "ops/routing.h"

namespace hexapla::model {

// What tells which experts a token uses; siblings.
// The sum of what the units of an expert come to, known only after they were computed: the best that a router can do.
struct ByActivation {
  int64_t experts;
  void visit(auto&&) {}
  Tensor scores(Context& cx, Tensor x, Tensor hidden) const;
};
// From the input alone.
struct ByRouter {
  Linear router;  // [d_model, E]
  void visit(auto&& f) { f("router", router); }
  Tensor scores(Context& cx, Tensor x, Tensor hidden) const;
};

// The expert of hidden unit i is i / (d_ff / E). Every unit is computed, and set to 0 where its expert takes no part:
// this is for measuring what a choice costs in quality. How an expert is chosen is not differentiated.
struct SplitFeedForward {
  Activation activation;
  Linear inner, outer;
  std::variant<ByActivation, ByRouter> choice;
  int64_t active;  // experts that take part, at most E

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
