#pragma once
// Which experts compute which tokens, and the weighted sum of what they return: the conditional computation of
// Shazeer et al. 2017 in the forms of Lepikhin et al. 2020 ("GShard") and Fedus et al. 2021 ("Switch Transformers").
// Host code, the same on every backend. Tokens are taken in order and ties go to the lower number, so it always comes
// out the same; without a capacity it works by row.
#include "ops/ops.h"

namespace hexapla {

struct RoutingRule {
  int64_t per_token = 1;  // k: experts that a token goes to
  double capacity = 0;    // an expert takes ceil(capacity * k * N / E) tokens, first choices first; 0: all that come
};

struct Routing {
  Tensor probabilities;  // [N, E], each row sums to 1
  Tensor gates;          // [N, k]: what the output of each chosen expert is multiplied by
  Tensor experts;        // [N, k] i32: the most probable ones, best first
  Tensor slots;          // [N, k] i32: where the token stands among the dispatched rows; -1: the expert was full
  Tensor tokens;         // [k N] i32: the token of each dispatched row; those of an expert lie side by side, in order
  Tensor starts;         // [E + 1] i32: where the rows of each expert begin, and their end

  int64_t first(int64_t expert) const { return starts.data<int32_t>()[expert]; }
  int64_t count(int64_t expert) const { return first(expert + 1) - first(expert); }
  int64_t dispatched() const { return first(starts.shape[0] - 1); }  // at most k N
};

// Sets chosen [N, k] i32 to the columns of the k largest numbers of each row of scores [N, E], the largest first, the
// lower column first among equals. InternalError: k above E.
void best_columns(Tensor scores, Tensor chosen);

// logits: [N, E], overwritten by the probabilities, softmax by row. The gate of a single expert is its probability, and
// gates of several are their probabilities divided by the sum of these. InternalError: more experts per token than
// experts.
Routing route(Context& cx, Tensor logits, const RoutingRule& rule);
// E * sum over the experts of f P: f is the share of the choices that name the expert, full or not, and P its mean
// probability. 1 where the load is balanced, E where one expert has it all. (Fedus et al. 2021, equation 4, without its
// alpha.)
double load_imbalance(const Routing& r);
// Sets d [N, E] to the gradient with respect to the probabilities: of d_gates [N, k], and of imbalance *
// load_imbalance(), in which f counts as constant.
void route_backward(const Routing& r, Tensor d_gates, double imbalance, Tensor d);
// d, the gradient of the probabilities, becomes that of the logits.
void softmax_backward(Tensor probabilities, Tensor d);

// The rows of x [N, d] for each expert -> kept [k N, d]; beyond r.dispatched() nothing is set.
Tensor dispatch(Context& cx, Tensor x, const Routing& r);
void dispatch_backward(Context& cx, Tensor d_rows, const Routing& r, Tensor dx);  // dx is added to
// The sum over a token's experts of gate * row -> kept [N, d]; 0 where all of them were full.
Tensor gather(Context& cx, Tensor rows, const Routing& r);
// Sets d_rows, and d_gates [N, k], which is 0 where the expert was full.
void gather_backward(Tensor rows, const Routing& r, Tensor dy, Tensor d_rows, Tensor d_gates);

}  // namespace hexapla
