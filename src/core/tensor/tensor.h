#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "base/error.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace hexapla {

// The start of each sequence in a batch: sequence b has the rows offsets[b] .. offsets[b + 1] - 1.
// A batch is a list of rows without padding, so only the future ever has to be masked.
using Offsets = std::span<const int32_t>;

// A view of typed numbers. It never owns memory; arenas and parameter slabs do. Strides count
// elements. The last stride is 1, except after transposed(), which only products accept.
struct Tensor {
  std::byte* bytes = nullptr;
  Shape shape;
  std::array<int64_t, Shape::kMaxRank> strides{};
  DType dtype = DType::f32;

  Tensor() = default;
  Tensor(void* p, Shape s, DType t) : bytes(static_cast<std::byte*>(p)), shape(s), dtype(t) {
    int64_t n = 1;
    for (int i = s.rank() - 1; i >= 0; --i) {
      strides[i] = n;
      n *= s[i];
    }
  }
  template <class T>
  static Tensor of(T* p, Shape s) {
    return Tensor(const_cast<std::remove_const_t<T>*>(p), s, dtype_of<std::remove_const_t<T>>());
  }

  explicit operator bool() const { return bytes != nullptr; }
  bool contiguous() const { return Tensor(bytes, shape, dtype).strides == strides; }
  int64_t size() const { return shape.size(); }
  int64_t rows() const { return shape.rows(); }

  template <class T>
  T* data() const {
    HEXAPLA_CHECK(dtype == dtype_of<T>(), "tensor ", shape, " holds ", name_of(dtype), ", asked for ",
                  name_of(dtype_of<T>()));
    return reinterpret_cast<T*>(bytes);
  }
  template <class T>
  std::span<T> values() const {
    HEXAPLA_CHECK(contiguous(), "tensor ", shape, " is not contiguous");
    return {data<T>(), static_cast<size_t>(size())};
  }
  // auto [B, T, D] = x.dims<3>("x");
  template <int rank>
  std::array<int64_t, rank> dims(const char* what) const {
    HEXAPLA_CHECK(shape.rank() == rank, what, " must have rank ", rank, ", but is ", shape);
    std::array<int64_t, rank> d;
    for (int i = 0; i < rank; ++i) d[i] = shape[i];
    return d;
  }

  // Columns [from, from + width) of a matrix, without a copy.
  Tensor columns(int64_t from, int64_t width) const {
    HEXAPLA_CHECK(from >= 0 && width >= 0 && from + width <= shape[-1], "columns ", from, " to ", from + width,
                  " do not lie in ", shape);
    Tensor t = *this;
    t.shape = shape.with_last(width);
    t.bytes += from * strides[shape.rank() - 1] * static_cast<int64_t>(size_of(dtype));
    return t;
  }
  // Rows [from, from + n) of the first dimension, without a copy.
  Tensor slice(int64_t from, int64_t n) const {
    HEXAPLA_CHECK(from >= 0 && n >= 0 && from + n <= shape[0], "rows ", from, " to ", from + n, " do not lie in ",
                  shape);
    Tensor t = *this;
    t.shape = shape.with_first(n);
    t.bytes += from * strides[0] * static_cast<int64_t>(size_of(dtype));
    return t;
  }
  // [N, h * d] -> [N, h, d], without a copy: heads are a view, not a layout.
  Tensor heads(int64_t h) const {
    auto [n, d] = dims<2>("heads(x)");
    HEXAPLA_CHECK(h > 0 && d % h == 0, "a width of ", d, " is not a multiple of the ", h, " heads, in ", shape);
    Tensor t = *this;
    t.shape = Shape{n, h, d / h};
    t.strides = {strides[0], d / h, 1, 0};
    return t;
  }
  // [n, m] -> [m, n], without a copy. Only products (and their gradients) accept the result as a weight.
  Tensor transposed() const {
    HEXAPLA_CHECK(shape.rank() == 2, "only a matrix can be transposed, not ", shape);
    Tensor t = *this;
    t.shape = Shape{shape[1], shape[0]};
    t.strides = {strides[1], strides[0], 0, 0};
    return t;
  }
};

}  // namespace hexapla
