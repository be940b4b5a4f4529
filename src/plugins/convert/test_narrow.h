#pragma once
// For tests: a model in safetensors whose decoder has narrower feed-forward networks than its encoder.
#include <algorithm>
#include <string>
#include <vector>

#include "convert/foreign/foreign_tensors.h"
#include "tensor/safetensors.h"

namespace hexapla::convert {

// Copies tensors; of those of the decoder's feed-forward networks, in PyTorch's form, only the first
// `width` rows of `inner` and columns of `outer` (parts of their names).
inline void write_narrow(const ForeignTensors& from, const std::string& decoder, const std::string& inner,
                         const std::string& outer, size_t width, const std::string& to) {
  std::vector<TensorSource> all;
  for (const ForeignTensor& t : from.list()) {
    std::vector<float> numbers = from.read(t);
    std::vector<int64_t> shape(t.shape.begin(), t.shape.end());
    const bool own = t.name.find(decoder) != std::string::npos;
    if (own && t.name.find(inner) != std::string::npos) {
      numbers.resize(numbers.size() / t.shape[0] * width);
      shape[0] = static_cast<int64_t>(width);
    } else if (own && t.name.find(outer + ".weight") != std::string::npos) {
      std::vector<float> some;
      for (size_t i = 0; i < t.shape[0]; ++i)
        some.insert(some.end(), numbers.begin() + static_cast<std::ptrdiff_t>(i * t.shape[1]),
                    numbers.begin() + static_cast<std::ptrdiff_t>(i * t.shape[1] + width));
      numbers = some;
      shape[1] = static_cast<int64_t>(width);
    }
    const Shape s = shape.size() == 1   ? Shape{shape[0]}
                    : shape.size() == 2 ? Shape{shape[0], shape[1]}
                    : shape.size() == 3 ? Shape{shape[0], shape[1], shape[2]}
                                        : Shape{};
    all.push_back({t.name, DType::f32, s, [numbers](const auto& take) { take(numbers.data()); }});
  }
  write_safetensors(to, all, {{"format", "pt"}});
}

}  // namespace hexapla::convert
