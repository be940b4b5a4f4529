#pragma once
// Products with some columns of a weight alone: the output layer where it is known beforehand what can be written.
#include "ops/ops.h"

namespace hexapla {

// [N, W], kept, W being the length of the longest list: Backend::linear_selected. A weight whose columns are not
// contiguous (no transposed table) is multiplied whole. InternalError: shapes that do not fit, a column beyond V.
Tensor linear_selected(Context& cx, Tensor x, const OutputTable& table, const ColumnLists& lists);

}  // namespace hexapla
