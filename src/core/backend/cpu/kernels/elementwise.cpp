#include "backend/cpu/kernels/math.h"
#include "backend/cpu/kernels/philox.h"
#include "backend/cpu/kernels/table.h"

namespace hexapla::cpu::ISA {
namespace {

inline Vec relu_slope(Vec x) { return x > 0.0f ? all(1) : Vec{}; }
inline Vec gelu_slope(Vec x) { return normal_cdf(x) + x * 0.39894228f * exp(-0.5f * x * x); }
// (1 + tanh(u)) / 2 is sigmoid(2 u). Beyond 10 it is 0 or 1; clamping x avoids overflow.
constexpr float kTanhFactor = 1.5957691f;  // 2 sqrt(2 / pi)
inline Vec from_below(Vec x) { return x < -10.0f ? all(-10) : x; }
inline Vec tanh_gate(Vec x) {
  const Vec v = x > 10.0f ? all(10) : x;
  return sigmoid(kTanhFactor * (v + 0.044715f * v * v * v));
}
inline Vec gelu_tanh_slope(Vec x) {
  const Vec low = from_below(x), v = low > 10.0f ? all(10) : low, s = tanh_gate(v);
  return s + v * s * (1.0f - s) * (kTanhFactor * (1.0f + 0.134145f * v * v));
}
inline Vec swish_slope(Vec x) {
  const Vec s = sigmoid(x);
  return s + x * s * (1.0f - s);
}

template <class F>
inline void map1(const float* x, float* y, int64_t n, F f) {
  sweep(n, [&](int64_t i, auto at) { at(y + i, f(at(x + i))); });
}
template <class F>
inline void map2(const float* a, const float* b, float* y, int64_t n, F f) {
  sweep(n, [&](int64_t i, auto at) { at(y + i, f(at(a + i), at(b + i))); });
}

constexpr int kSumsTogether = 8;
template <int V, class At>
inline void column_sums(const float* x, int64_t stride, int64_t rows, At at, float* y) {
  for (int64_t from = 0; from < rows; from += kTermBlock) {
    const int64_t to = from + kTermBlock < rows ? from + kTermBlock : rows;
    Vec s[V] = {};
    for (int64_t i = from; i < to; ++i)
      for (int v = 0; v < V; ++v) s[v] += at(x + i * stride + v * kLanes);
    for (int v = 0; v < V; ++v) at(y + v * kLanes, at(y + v * kLanes) + s[v]);
  }
}

}  // namespace

void fill(float* x, float value, int64_t n) {
  sweep(n, [&](int64_t i, auto at) { at(x + i, all(value)); });
}
// Non-temporal stores: memory is not read before it is overwritten.
void fill_past_cache(float* x, float value, int64_t n) {
  const int64_t ahead = (int64_t)(-(uintptr_t)x % VEC_BYTES / 4);
  if (n < ahead + kLanes) return fill(x, value, n);
  fill(x, value, ahead);
  int64_t i = ahead;
  for (; i + kLanes <= n; i += kLanes) store_past_cache(x + i, all(value));
  fill(x + i, value, n - i);
  finish_stores();
}
void add(const float* a, const float* b, float* y, int64_t n) {
  map2(a, b, y, n, [](Vec u, Vec v) { return u + v; });
}
void multiply_elements(const float* a, const float* b, float* y, int64_t n) {
  map2(a, b, y, n, [](Vec u, Vec v) { return u * v; });
}
void relu(const float* x, float* y, int64_t n) {
  map1(x, y, n, [](Vec v) { return v < 0.0f ? Vec{} : v; });
}
void gelu(const float* x, float* y, int64_t n) {
  map1(x, y, n, [](Vec v) { return v * normal_cdf(v); });
}
void swish(const float* x, float* y, int64_t n) {
  map1(x, y, n, [](Vec v) { return v * sigmoid(v); });
}
void gelu_tanh(const float* x, float* y, int64_t n) {
  map1(x, y, n, [](Vec v) { return from_below(v) * tanh_gate(from_below(v)); });
}
void relu_backward(const float* x, const float* dy, float* dx, int64_t n) {
  map2(x, dy, dx, n, [](Vec v, Vec d) { return relu_slope(v) * d; });
}
void relu_backward_scaled(const float* x, const float* dy, float scale, float* dx, int64_t n) {
  map2(x, dy, dx, n, [&](Vec v, Vec d) { return relu_slope(v) * (scale * d); });
}
void gelu_backward(const float* x, const float* dy, float* dx, int64_t n) {
  map2(x, dy, dx, n, [](Vec v, Vec d) { return gelu_slope(v) * d; });
}
void swish_backward(const float* x, const float* dy, float* dx, int64_t n) {
  map2(x, dy, dx, n, [](Vec v, Vec d) { return swish_slope(v) * d; });
}
void gelu_tanh_backward(const float* x, const float* dy, float* dx, int64_t n) {
  map2(x, dy, dx, n, [](Vec v, Vec d) { return gelu_tanh_slope(v) * d; });
}
void scaled(const float* x, float scale, float* y, int64_t n) {
  map1(x, y, n, [&](Vec v) { return scale * v; });
}
void add_scaled(const float* x, float scale, float* y, int64_t n) {
  map2(x, y, y, n, [&](Vec v, Vec old) { return old + scale * v; });
}

void combine(float a, const float* x, float b, float* y, int64_t n) {
  map2(x, y, y, n, [&](Vec v, Vec old) { return a * v + b * old; });
}

void dropout_row(const Dropout& d, uint32_t row, const float* x, float* y, int64_t n) {
  constexpr int64_t group = dropout_layout::kGroup;
  float factors[group];
  for (int64_t at = 0; at < n; at += group) {
    const int64_t columns = n - at < group ? n - at : group;
    dropout_factors(d, row, (uint32_t)(at / group), columns, factors);
    map2(x + at, factors, y + at, columns, [](Vec v, Vec f) { return v * f; });
  }
}

// Takes several vectors of a row at a time, because rows may be a page apart.
void add_column_sums(const float* x, int64_t stride, int64_t rows, int64_t width, float* y) {
  int64_t c = 0;
  for (; c + kSumsTogether * kLanes <= width; c += kSumsTogether * kLanes)
    column_sums<kSumsTogether>(x + c, stride, rows, Whole{}, y + c);
  sweep(width - c, [&](int64_t i, auto at) { column_sums<1>(x + c + i, stride, rows, at, y + c + i); });
}

}  // namespace hexapla::cpu::ISA
