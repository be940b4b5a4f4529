#include "serve/work/chained_alignment.h"

#include <cstddef>
#include <utility>

namespace hexapla::serve {
namespace {

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{a.rows, b.columns, std::vector<double>(a.rows * b.columns)};
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t k = 0; k < a.columns; ++k)
      for (std::size_t j = 0; j < b.columns; ++j) c.values[i * c.columns + j] += a(i, k) * b(k, j);
  return c;
}

}  // namespace

Alignment chained(const Alignment& first, Alignment second) {
  if (first.target_words != second.source_words || second.weights.columns != first.weights.rows) return {};
  Alignment whole{first.source_words, std::move(second.target_words), product(second.weights, first.weights), {}};
  for (std::size_t t = 0; t < whole.target_words.size(); ++t) {
    std::size_t best = 0;
    for (std::size_t s = 1; s < whole.source_words.size(); ++s)
      if (whole.weights(t, s) > whole.weights(t, best)) best = s;
    if (!whole.source_words.empty()) whole.links.emplace_back(static_cast<int>(best), static_cast<int>(t));
  }
  return whole;
}

}  // namespace hexapla::serve
