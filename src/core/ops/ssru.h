#pragma once
// The simpler simple recurrent unit (Kim et al. 2019, section 3.2) over ragged sequences:
//   f_t = sigmoid(x_t W_f + b_f)                  forget gate
//   c_t = f_t * c_{t-1} + (1 - f_t) * (x_t W)     cell
//   h_t = max(0, c_t)
// starting from c = 0. No product depends on a state, so all products of a sentence are computed at
// once; the rest is host code, the same on every backend, on copies where the memory is not the host's.
#include "ops/ops.h"

namespace hexapla {

struct SsruInput {
  Tensor candidates;  // [N, d]: x W
  Tensor forget;      // [N, d]: x W_f + b_f; overwritten by f
};
// Sets `cells` [N, d] to c. Returns h, kept [N, d]. InternalError: shapes do not match.
Tensor ssru(Context& cx, const SsruInput& in, Offsets rows, Tensor cells);

struct SsruGradient {
  Tensor candidates, sums;  // [N, d], set: of x W and of x W_f + b_f
  Tensor gates, cells;      // [N, d] or empty, set: of f and of c
};
// in.forget as returned by ssru(); d_states: [N, d], rows may be strided.
void ssru_backward(Context& cx, const SsruInput& in, Offsets rows, Tensor cells, Tensor d_states,
                   const SsruGradient& d);

// One step for N hypotheses, whose cells are in a cache [R, d]: hypothesis n reads the last but one
// of the rows listed in `rows` (if there is only one: 0) and writes row cache_rows[n] ([N] i32),
// which no hypothesis reads. Returns h, kept.
Tensor ssru_step(Context& cx, const SsruInput& in, const StepRows& rows, Tensor cache_rows, Tensor cache);

}  // namespace hexapla
