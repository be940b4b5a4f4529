#pragma once
// For tests of hexapla/nn.h.
#include <algorithm>

#include "base/compute/random.h"
#include "hexapla/nn.h"

namespace hexapla::api::test {

struct Matrix {
  int64_t rows, columns;
  std::vector<float> values;
};

inline Matrix random_matrix(int64_t rows, int64_t columns, uint64_t seed) {
  Random random(seed);
  Matrix m{rows, columns, std::vector<float>(rows * columns)};
  for (float& v : m.values) v = static_cast<float>(random.normal());
  return m;
}

inline nn::Tensor put(nn::Workspace& work, const Matrix& m) {
  const nn::Tensor t = work.zeros(m.rows, m.columns);
  std::copy(m.values.begin(), m.values.end(), t.data());
  return t;
}

inline std::vector<float> numbers(const nn::Tensor& t) { return {t.data(), t.data() + t.rows() * t.columns()}; }

inline const Options kSmall{{"dim_model", 6}, {"dim_ff", 8}, {"heads", 2}, {"enc_layers", 1}, {"dec_layers", 1}};

inline std::vector<float> values_of(nn::Layer& layer) {
  std::vector<float> all;
  for (const nn::Parameter& p : layer.parameters()) all.insert(all.end(), p.values, p.values + p.size);
  return all;
}
inline std::vector<float> gradients_of(nn::Layer& layer) {
  std::vector<float> all;
  for (const nn::Parameter& p : layer.parameters())
    if (p.gradients) all.insert(all.end(), p.gradients, p.gradients + p.size);
  return all;
}

// Three sentences of 5, 1 and 4 rows, and of 2, 4 and 3.
inline const nn::Offsets kRows{0, 5, 6, 10}, kMemoryRows{0, 2, 6, 9};

}  // namespace hexapla::api::test
