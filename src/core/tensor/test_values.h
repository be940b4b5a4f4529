#pragma once
#include <vector>

#include "tensor/tensor.h"

namespace hexapla {

// A tensor's values in a container: gMock before 1.12 does not match spans.
inline std::vector<float> values_of(const Tensor& t) {
  const auto values = t.values<float>();
  return {values.begin(), values.end()};
}

}  // namespace hexapla
