#pragma once
// Products with selected columns of a weight: for output layers if the possible output tokens are
// known beforehand.
#include "ops/ops.h"

namespace hexapla {

// [N, W], kept, where W is the length of the longest list: see Backend::linear_selected. A weight
// whose columns are not contiguous (not a transposed table) is multiplied completely.
// InternalError: shapes do not match, or a column beyond V.
Tensor linear_selected(Context& cx, Tensor x, const OutputTable& table, const ColumnLists& lists);

}  // namespace hexapla
