#pragma once
// Helpers for host code that works by row.
#include <algorithm>
#include <cstdint>

#include "backend/backend.h"
#include "base/compute/parallel.h"
#include "tensor/tensor.h"

namespace hexapla {

// Refuses an op of host code where tensors cannot be used in place. UsageError; setting: "`encoder-mixing` gru"
inline void only_in_host_memory(const Backend& backend, const char* setting) {
  if (backend.host_memory()) return;
  throw UsageError(cat(setting, " does not run on ", backend.name(), "; use `device` cpu"));
}

// Calls f(i) for 0 .. n - 1 in parallel; each call handles about `width` numbers.
template <class F>
void each_row(int64_t n, int64_t width, F&& f) {
  const int64_t chunk = std::max<int64_t>(1, 2048 / std::max<int64_t>(1, width)), chunks = (n + chunk - 1) / chunk;
  if (n == 0) return;
  parallel_for(chunks, [&](int64_t c) {
    for (int64_t i = c * chunk; i < std::min(n, (c + 1) * chunk); ++i) f(i);
  });
}

template <class T>
T* row_of(Tensor t, int64_t i) {
  return t.data<T>() + i * t.strides[0];
}

}  // namespace hexapla
