#pragma once
// Assigns tokens to experts and computes the weighted sum of their outputs: the conditional
// computation of Shazeer et al. 2017 in the forms of Lepikhin et al. 2020 ("GShard") and Fedus et
// al. 2021 ("Switch Transformers"). Host code, the same on every backend. Deterministic: tokens are
// taken in order, and ties go to the lower number. Without a capacity it works by row.
#include "ops/ops.h"

namespace hexapla {

struct RoutingRule {
  int64_t per_token = 1;  // k: experts per token
  double capacity = 0;    // an expert takes ceil(capacity * k * N / E) tokens, first choices first; 0: no limit
};

struct Routing {
  Tensor probabilities;  // [N, E], each row sums to 1
  Tensor gates;          // [N, k]: factor for the output of each chosen expert
  Tensor experts;        // [N, k] i32: the most probable experts, best first
  Tensor slots;          // [N, k] i32: the token's row among the dispatched rows; -1: the expert was full
  Tensor tokens;         // [k N] i32: the token of each dispatched row; an expert's rows are contiguous and in order
  Tensor starts;         // [E + 1] i32: the first row of each expert, and the end

  int64_t first(int64_t expert) const { return starts.data<int32_t>()[expert]; }
  int64_t count(int64_t expert) const { return first(expert + 1) - first(expert); }
  int64_t dispatched() const { return first(starts.shape[0] - 1); }  // at most k N
};

// logits: [N, E], overwritten by the probabilities, softmax by row. With one expert per token, the
// gate is its probability; with several, the gates are their probabilities divided by the sum of
// these. InternalError: more experts per token than experts.
Routing route(Context& cx, Tensor logits, const RoutingRule& rule);
// E * the sum over the experts of f P, where f is the fraction of choices for the expert, full or
// not, and P its mean probability. 1 if the load is balanced, E if one expert has it all. (Fedus et
// al. 2021, equation 4, without its alpha.)
double load_imbalance(const Routing& r);
// Sets d [N, E] to the gradient with respect to the probabilities, from d_gates [N, k] and from
// imbalance * load_imbalance(), in which f counts as constant.
void route_backward(const Routing& r, Tensor d_gates, double imbalance, Tensor d);
// Turns d from the gradient of the probabilities into that of the logits.
void softmax_backward(Tensor probabilities, Tensor d);

// The rows of x [N, d] for each expert -> kept [k N, d]; rows from r.dispatched() on are not set.
Tensor dispatch(Context& cx, Tensor x, const Routing& r);
void dispatch_backward(Context& cx, Tensor d_rows, const Routing& r, Tensor dx);  // dx is added to
// The sum over a token's experts of gate * row -> kept [N, d]; 0 if all of them were full.
Tensor gather(Context& cx, Tensor rows, const Routing& r);
// Sets d_rows, and d_gates [N, k], which is 0 if the expert was full.
void gather_backward(Tensor rows, const Routing& r, Tensor dy, Tensor d_rows, Tensor d_gates);

}  // namespace hexapla
