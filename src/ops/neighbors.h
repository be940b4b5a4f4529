#pragma once
// What a one-dimensional convolution multiplies: every token beside those around it. Host code, the same on every
// backend, by row.
#include "ops/ops.h"

namespace hexapla {

// [N, d] -> kept [N, width * d]: x of the tokens t - (width - 1) / 2 .. t + (width - 1) / 2 side by side, 0 beyond the
// ends of a sequence. InternalError: an even width.
Tensor neighbors(Context& cx, Tensor x, Offsets rows, int64_t width);
// Adds to dx.
void neighbors_backward(Tensor d, Offsets rows, int64_t width, Tensor dx);

}  // namespace hexapla
