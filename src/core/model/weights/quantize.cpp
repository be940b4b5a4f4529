#include "model/weights/quantize.h"

#include <algorithm>
#include <cmath>

namespace hexapla::model {
namespace {

// The factor for a column with this maximum; 0 if it would be infinite, so that such a column
// becomes zeros.
float inverse_scale_of(float most) {
  const float inverse = 127 / most;
  return std::isinf(inverse) ? 0 : inverse;
}

size_t scale_index(ScaleOf how, int64_t i, int64_t j) { return static_cast<size_t>(how == ScaleOf::columns ? j : i); }

}  // namespace

Quantized quantize(Tensor w, ScaleOf how) {
  const auto [rows, columns] = w.dims<2>("quantize: w");
  const float* values = w.data<float>();
  Quantized q;
  q.integers.resize(static_cast<size_t>(w.size()));
  std::vector<float> most(static_cast<size_t>(how == ScaleOf::columns ? columns : rows));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      float& m = most[scale_index(how, i, j)];
      m = std::max(m, std::fabs(values[i * columns + j]));
    }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      const float inverse = inverse_scale_of(most[scale_index(how, i, j)]);
      const float x = std::nearbyint(values[i * columns + j] * inverse);
      q.integers[i * columns + j] = static_cast<int8_t>(x);
    }
  for (const float m : most) q.scales.push_back(inverse_scale_of(m) == 0 ? 0 : m / 127);
  return q;
}

void dequantize(Tensor integers, Tensor scales, ScaleOf how, Tensor w) {
  const auto [rows, columns] = w.dims<2>("dequantize: w");
  const int8_t* q = integers.data<int8_t>();
  const float* s = scales.data<float>();
  float* values = w.data<float>();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      values[i * columns + j] = static_cast<float>(q[i * columns + j]) * s[scale_index(how, i, j)];
}

std::optional<ScaleOf> quantizable(const std::string& name, const Parameter& p) {
  if (p.shape.rank() != 2) return std::nullopt;
  if (name.starts_with("embeddings.")) return ScaleOf::rows;
  const bool score = name.find("score.") != std::string::npos;  // for additive attention, not a product
  if (name.ends_with(".weight") && !score) return ScaleOf::columns;
  return std::nullopt;
}

Shape scales_shape(const std::string& name, const Parameter& p) {
  return {p.shape[*quantizable(name, p) == ScaleOf::columns ? 1 : 0]};
}

}  // namespace hexapla::model
