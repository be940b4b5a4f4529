// Converts tensors of any type and strides to and from f64; the basic sums used by all ops.
#include <algorithm>

#include "backend/dropout_layout.h"
#include "backend/reference/internal.h"
#include "backend/reference/reference.h"
#include "base/compute/random.h"

namespace hexapla {

std::unique_ptr<Backend> make_reference_backend() { return std::make_unique<reference::Reference>(); }

namespace reference {
namespace {

template <class F>
void with_type(DType t, F&& f) {
  switch (t) {
    case DType::f32:
      return f.template operator()<float>();
    case DType::f64:
      return f.template operator()<double>();
    case DType::i32:
      return f.template operator()<int32_t>();
    default:
      fail(cat("the reference backend has no kernels for ", name_of(t)));
  }
}

int64_t offset_of_row(const Tensor& t, int64_t row) {
  int64_t at = 0;
  for (int i = t.shape.rank() - 2; i >= 0; --i) {
    at += row % t.shape[i] * t.strides[i];
    row /= t.shape[i];
  }
  return at;
}

// f(element of t, element of x), for every element.
template <class T, class X, class F>
void each_pair(const Tensor& t, X& x, F&& f) {
  HEXAPLA_CHECK(x.rows == t.rows() && x.width == t.shape[-1], "a result of ", x.rows, " rows of ", x.width,
                " does not fit ", t.shape);
  const int64_t step = t.strides[t.shape.rank() - 1];
  for (int64_t r = 0; r < x.rows; ++r) {
    T* row = t.data<T>() + offset_of_row(t, r);
    for (int64_t c = 0; c < x.width; ++c) f(row[c * step], x[r][c]);
  }
}

}  // namespace

Rows load(Tensor t) {
  if (!t) return {};
  Rows x(t);
  with_type(t.dtype,
            [&]<class T>() { each_pair<T>(t, x, [](T& from, double& to) { to = static_cast<double>(from); }); });
  return x;
}

void store(const Rows& x, Tensor t) {
  with_type(t.dtype,
            [&]<class T>() { each_pair<T>(t, x, [](T& to, const double& from) { to = static_cast<T>(from); }); });
}

void add_to(const Rows& x, Tensor t) {
  if (!t) return;
  with_type(t.dtype,
            [&]<class T>() { each_pair<T>(t, x, [](T& to, const double& from) { to = static_cast<T>(to + from); }); });
}

double dot(const double* a, const double* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

void axpy(double a, const double* x, double* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] += a * x[i];
}

Rows product(const Rows& x, const Rows& w, const Rows& b) {
  Rows y(x.rows, w.width);
  for (int64_t r = 0; r < x.rows; ++r) {
    if (b) std::copy_n(b[0], y.width, y[r]);
    for (int64_t i = 0; i < x.width; ++i) axpy(x[r][i], w[i], y[r], y.width);
  }
  return y;
}

Rows transpose(const Rows& x) {
  Rows y(x.width, x.rows);
  for (int64_t r = 0; r < x.rows; ++r)
    for (int64_t c = 0; c < x.width; ++c) y[c][r] = x[r][c];
  return y;
}

Rows sum_of_rows(const Rows& x) {
  Rows sum(1, x.width);
  for (int64_t r = 0; r < x.rows; ++r) axpy(1, x[r], sum[0], x.width);
  return sum;
}

double dropout_factor(const DropoutMask& mask, int64_t row, int64_t column) {
  if (!mask) return 1;
  const auto [c, word, half] = dropout_layout::bits_of(column);
  const auto random = philox({c, static_cast<uint32_t>(row), mask.tensor, mask.step},
                             {static_cast<uint32_t>(mask.seed), static_cast<uint32_t>(mask.seed >> 32)});
  const uint32_t bits = random[word] >> (16 * half) & 0xFFFF;
  return bits >= mask.p * 65536.0 ? 1 / (1.0 - mask.p) : 0;
}

}  // namespace reference
}  // namespace hexapla
