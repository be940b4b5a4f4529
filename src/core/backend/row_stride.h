#pragma once
#include "tensor/tensor.h"

namespace hexapla {

// The distance between the rows of a tensor's last dimension, in numbers; `what` names it in messages. Fails unless
// rows are contiguous in themselves and lie at equal distances.
inline int64_t row_stride(const Tensor& t, const char* what) {
  const int rank = t.shape.rank();
  HEXAPLA_CHECK(t.strides[rank - 1] == 1 || t.shape[-1] == 1, what, " ", t.shape, " has gaps within its rows");
  for (int i = rank - 2; i > 0; --i)
    HEXAPLA_CHECK(t.strides[i - 1] == t.strides[i] * t.shape[i], what, " ", t.shape,
                  ": its rows do not lie at equal distances");
  return rank > 1 ? t.strides[rank - 2] : t.shape[-1];
}

}  // namespace hexapla
