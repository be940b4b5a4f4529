#include "backend/cpu/kernels/math.h"
#include "backend/cpu/kernels/table.h"

namespace hexapla::cpu::ISA {
namespace {

inline const float* row_of(const float* p, int64_t row, int64_t stride) { return p ? p + row * stride : nullptr; }
inline float* row_of(float* p, int64_t row, int64_t stride) { return p ? p + row * stride : nullptr; }

inline void add_norm_row(const NormRows& n, int64_t row) {
  const float *x = n.x + row * n.x_stride, *r = row_of(n.r, row, n.r_stride);
  float *y = n.y + row * n.y_stride, *normed = row_of(n.normed, row, n.normed_stride);
  float* t = normed ? normed : y;
  Vec total{}, squares{};
  sweep(n.width, [&](int64_t i, auto at) {
    const Vec v = r ? at(x + i) + at(r + i) : at(x + i);
    total += v;
    at(t + i, v);
  });
  const float mean = sum(total) / (float)n.width;
  sweep(n.width, [&](int64_t i, auto at) {
    const Vec d = at.keep(at(t + i) - mean, Vec{});
    squares += d * d;
  });
  const float rstd = 1.0f / __builtin_sqrtf(sum(squares) / (float)n.width + n.eps);
  sweep(n.width, [&](int64_t i, auto at) {
    const Vec v = (at(t + i) - mean) * rstd;
    at(t + i, v);
    at(y + i, v * at(n.gain + i) + at(n.bias + i));
  });
  if (n.rstd) n.rstd[row] = rstd;
}

inline void add_norm_backward_row(const NormBackwardRows& n, int64_t row) {
  const float* normed = n.normed + row * n.normed_stride;
  float* d = n.d + row * n.d_stride;
  Vec total{}, along{};
  sweep(n.width, [&](int64_t i, auto at) {
    const Vec g = at(d + i) * at(n.gain + i);
    total += g;
    along += g * at(normed + i);
  });
  const float mean = sum(total) / (float)n.width, projection = sum(along) / (float)n.width, rstd = n.rstd[row];
  sweep(n.width, [&](int64_t i, auto at) {
    const Vec dy = at(d + i), g = dy * at(n.gain + i), v = at(normed + i);
    if (n.dgain) at(n.dgain + i, at(n.dgain + i) + dy * v);
    if (n.dbias) at(n.dbias + i, at(n.dbias + i) + dy);
    at(d + i, rstd * (g - mean - projection * v));
  });
}

// The sum of f(row) over the rows, by blocks.
template <class F>
inline Vec sum_of_rows(int64_t rows, F f) {
  Vec total{};
  for (int64_t from = 0; from < rows; from += kTermBlock) {
    const int64_t to = from + kTermBlock < rows ? from + kTermBlock : rows;
    Vec s{};
    for (int64_t i = from; i < to; ++i) s += f(i);
    total += s;
  }
  return total;
}

inline Vec square_root(Vec v) {
  for (int64_t i = 0; i < kLanes; ++i) v[i] = __builtin_sqrtf(v[i]);
  return v;
}

}  // namespace

void add_norm(const NormRows& n) {
  for (int64_t row = 0; row < n.rows; ++row) add_norm_row(n, row);
}
void add_norm_backward(const NormBackwardRows& n) {
  for (int64_t row = 0; row < n.rows; ++row) add_norm_backward_row(n, row);
}

void batch_norm(const BatchNormColumns& n) {
  const float count = (float)n.rows;
  sweep(n.width, [&](int64_t c, auto at) {
    auto value = [&](int64_t i) {
      const Vec v = at(n.x + i * n.x_stride + c);
      return n.r ? v + at(n.r + i * n.r_stride + c) : v;
    };
    const Vec mean = sum_of_rows(n.rows, value) / count;
    const Vec variance = sum_of_rows(n.rows, [&](int64_t i) { return (value(i) - mean) * (value(i) - mean); }) / count;
    const Vec rstd = 1.0f / square_root(variance + n.eps), gain = at(n.gain + c), bias = at(n.bias + c);
    at(n.mean + c, mean);
    at(n.variance + c, variance);
    at(n.rstd + c, rstd);
    for (int64_t i = 0; i < n.rows; ++i) {
      const Vec v = (value(i) - mean) * rstd;
      at(n.normed + i * n.normed_stride + c, v);
      at(n.y + i * n.y_stride + c, v * gain + bias);
    }
  });
}

void batch_norm_backward(const NormBackwardRows& n) {
  const float count = (float)n.rows;
  sweep(n.width, [&](int64_t c, auto at) {
    auto d = [&](int64_t i) { return at(n.d + i * n.d_stride + c); };
    auto normed = [&](int64_t i) { return at(n.normed + i * n.normed_stride + c); };
    const Vec total = sum_of_rows(n.rows, d);
    const Vec along = sum_of_rows(n.rows, [&](int64_t i) { return d(i) * normed(i); });
    if (n.dgain) at(n.dgain + c, at(n.dgain + c) + along);
    if (n.dbias) at(n.dbias + c, at(n.dbias + c) + total);
    const Vec scale = at(n.rstd + c) * at(n.gain + c), mean = total / count, projection = along / count;
    for (int64_t i = 0; i < n.rows; ++i) at(n.d + i * n.d_stride + c, scale * (d(i) - mean - projection * normed(i)));
  });
}

void batch_norm_inference(const BatchNormColumns& n) {
  sweep(n.width, [&](int64_t c, auto at) {
    const Vec mean = at(n.mean + c), bias = at(n.bias + c);
    const Vec scale = at(n.gain + c) / square_root(at(n.variance + c) + n.eps);
    for (int64_t i = 0; i < n.rows; ++i) {
      Vec v = at(n.x + i * n.x_stride + c);
      if (n.r) v = v + at(n.r + i * n.r_stride + c);
      at(n.y + i * n.y_stride + c, (v - mean) * scale + bias);
    }
  });
}

}  // namespace hexapla::cpu::ISA
