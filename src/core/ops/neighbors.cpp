#include "ops/neighbors.h"

#include "base/compute/parallel.h"
#include "ops/rows.h"

namespace hexapla {
namespace {

// Calls f(token, first row of its sequence, end of its sequence) for every token; a sequence is
// never split between threads.
template <class F>
void each_token(Offsets rows, F&& f) {
  parallel_for(std::ssize(rows) - 1, [&](int64_t b) {
    for (int64_t t = rows[b]; t < rows[b + 1]; ++t) f(t, rows[b], rows[b + 1]);
  });
}

template <class T>
void gather(Tensor x, Offsets rows, int64_t width, Tensor y) {
  const int64_t d = x.shape[1];
  each_token(rows, [&](int64_t t, int64_t begin, int64_t end) {
    T* to = y.data<T>() + t * y.strides[0];
    for (int64_t u = t - width / 2; u <= t + width / 2; ++u, to += d)
      if (u >= begin && u < end)
        std::copy_n(x.data<T>() + u * x.strides[0], d, to);
      else
        std::fill_n(to, d, T{0});
  });
}

// In the neighborhood of token u, token t is at position width / 2 + t - u.
template <class T>
void spread(Tensor wide, Offsets rows, int64_t width, Tensor dx) {
  const int64_t d = dx.shape[1];
  each_token(rows, [&](int64_t t, int64_t begin, int64_t end) {
    T* to = dx.data<T>() + t * dx.strides[0];
    for (int64_t u = std::max(begin, t - width / 2); u < std::min(end, t + width / 2 + 1); ++u) {
      const T* from = wide.data<T>() + u * wide.strides[0] + (width / 2 + t - u) * d;
      for (int64_t i = 0; i < d; ++i) to[i] += from[i];
    }
  });
}

void check_neighbors(Tensor x, Offsets rows, int64_t width) {
  HEXAPLA_CHECK(width % 2 == 1 && rows.back() == x.shape[0], "neighbors: a width of ", width, " of ", rows.back(),
                " tokens in x ", x.shape, "; the width must be odd, and x must have a row for each token");
}

}  // namespace

Tensor neighbors(Context& cx, Tensor x, Offsets rows, int64_t width) {
  check_neighbors(x, rows, width);
  only_in_host_memory(cx.backend, "`encoder-mixing` convolution");
  const Tensor y = cx.keep({x.shape[0], width * x.shape[1]});
  x.dtype == DType::f64 ? gather<double>(x, rows, width, y) : gather<float>(x, rows, width, y);
  return y;
}

void neighbors_backward(Tensor d, Offsets rows, int64_t width, Tensor dx) {
  check_neighbors(dx, rows, width);
  HEXAPLA_CHECK(d.shape == (Shape{dx.shape[0], width * dx.shape[1]}), "neighbors: a gradient ", d.shape, " of dx ",
                dx.shape, " does not fit a width of ", width);
  dx.dtype == DType::f64 ? spread<double>(d, rows, width, dx) : spread<float>(d, rows, width, dx);
}

}  // namespace hexapla
