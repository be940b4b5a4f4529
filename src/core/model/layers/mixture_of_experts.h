#pragma once
// A mixture of experts in place of the feed-forward network: a router assigns each token to one or
// two of E networks (Fedus et al. 2021, "Switch Transformers"; Lepikhin et al. 2020, "GShard").
#include "model/layers/linear.h"
#include "ops/routing.h"

namespace hexapla::model {

// FFN_e(x) = f(x W1 + b1) W2 + b2.
struct Expert {
  Linear inner, outer;

  Expert(int64_t d_model, int64_t width) : inner(d_model, width, true), outer(width, d_model, true) {}
  void visit(auto&& f) {
    f("inner", inner);
    f("outer", outer);
  }
};

// In training only: a translation must not depend on the rest of its batch, nor a score on the
// load.
struct ExpertLoad {
  double capacity = 0;   // as in RoutingRule
  double balancing = 0;  // alpha: weight of load_imbalance() in the loss
};

// y = sum over the chosen experts e of gate_e * FFN_e(x), with gates from p = softmax(x W_r).
struct MixtureOfExperts {
  Activation activation;
  Linear router;
  std::vector<Expert> experts;
  Dropout dropout;  // on the experts' hidden layers, off by default
  int64_t per_token;
  ExpertLoad load;

  struct Sizes {
    int64_t d_model, width, experts, per_token;
  };
  MixtureOfExperts(Activation f, const Sizes& sizes, const ExpertLoad& in_training, double p)
      : activation(f),
        router(sizes.d_model, sizes.experts, false),
        experts(static_cast<size_t>(sizes.experts), Expert(sizes.d_model, sizes.width)),
        dropout{p},
        per_token(sizes.per_token),
        load(in_training) {}
  void visit(auto&& f) {
    f("router", router);
    f("experts", experts);
    f("hidden_dropout", dropout);
  }

  struct Saved {
    Tensor x;
    Routing routing;
    Tensor rows, inner, hidden, outputs;  // of the dispatched tokens, by expert: [k N, ...]
    double balancing = 0;                 // in training: load.balancing * load_imbalance()
    double scale = 0;                     // backward adds the gradient of scale * balancing
  };
  Tensor forward(Context& cx, Tensor x, Offsets rows, Saved& s) const;
  void backward(Context& cx, const Saved& s, Tensor dy, Tensor d) const;  // d += J^T dy; dy may be d
};

}  // namespace hexapla::model
