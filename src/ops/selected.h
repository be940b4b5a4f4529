#pragma once
// Products with some columns of a weight alone: the output layer where it is known beforehand what can be written. Host
// code, the same on every backend.
#include "ops/ops.h"

namespace hexapla {

// Row n of the result [N, V], kept: x_n W + b in the columns that those[b] lists, where n is one of the rows
// rows[b] .. rows[b + 1] - 1, and -inf in all others. W is [d, V]; one whose columns are not contiguous (no transposed
// table), or that a device alone has, is multiplied whole. InternalError: shapes that do not fit, a column beyond V.
Tensor linear_selected(Context& cx, Tensor x, const Weight& w, Tensor b, Offsets rows,
                       std::span<const std::span<const int32_t>> those);

}  // namespace hexapla
