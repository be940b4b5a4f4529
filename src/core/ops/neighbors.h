#pragma once
// The input of a one-dimensional convolution: every token with its neighbors. Host code, the same
// on every backend, by row.
#include "ops/ops.h"

namespace hexapla {

// [N, d] -> kept [N, width * d]: concatenates x of the tokens t - (width - 1) / 2 to
// t + (width - 1) / 2, with 0 beyond the ends of a sequence. InternalError: the width is even.
Tensor neighbors(Context& cx, Tensor x, Offsets rows, int64_t width);
// Adds to dx.
void neighbors_backward(Tensor d, Offsets rows, int64_t width, Tensor dx);

}  // namespace hexapla
