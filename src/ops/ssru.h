#pragma once
// The simpler simple recurrent unit (Kim et al. 2019, section 3.2) over ragged sequences:
//   f_t = sigmoid(x_t W_f + b_f)                  forget gate
//   c_t = f_t * c_{t-1} + (1 - f_t) * (x_t W)     cell
//   h_t = max(0, c_t)
// from c = 0 on. No product has a state in it, so all of them are computed at once for a whole sentence; the rest is
// host code, the same on every backend.
#include "ops/ops.h"

namespace hexapla {

struct SsruInput {
  Tensor candidates;  // [N, d]: x W
  Tensor forget;      // [N, d]: x W_f + b_f; overwritten by f
};
// Sets `cells` [N, d] to c. -> h, kept [N, d]. InternalError: shapes that do not fit.
Tensor ssru(Context& cx, const SsruInput& in, Offsets rows, Tensor cells);

struct SsruGradient {
  Tensor candidates, sums;  // [N, d], set: of x W and of x W_f + b_f
  Tensor gates, cells;      // [N, d] or nothing, set: of f and of c
};
// in.forget as ssru() left it; d_states: [N, d], rows may be strided.
void ssru_backward(const SsruInput& in, Offsets rows, Tensor cells, Tensor d_states, const SsruGradient& d);

// One step of N hypotheses, whose cells lie in a cache [R, d]: hypothesis n has the row before the last of those that
// `rows` lists (none: 0), and its new one goes to row cache_rows[n] ([N] i32), which no hypothesis has read. -> h,
// kept.
Tensor ssru_step(Context& cx, const SsruInput& in, const StepRows& rows, Tensor cache_rows, Tensor cache);

}  // namespace hexapla
