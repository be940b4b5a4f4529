#pragma once
// For measurements of time.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace hexapla {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The upper one of an even number of values; there must be one.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace hexapla
