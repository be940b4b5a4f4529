// Products with weights, by tiles in a fixed order of sums (kernels/product.cl).
#include <algorithm>

#include "opencl/opencl_backend.h"

namespace hexapla::opencl {
namespace {

// A matrix in memory: `transposed` if its columns are contiguous instead of its rows.
struct Stored {
  Tensor values;
  bool transposed;
  size_t stride;
};
Stored stored(const Tensor& t) {
  const int64_t rows = t.shape[0], columns = t.shape[1];
  if (t.strides[1] == 1 || columns == 1) return {t, false, static_cast<size_t>(std::max(t.strides[0], columns))};
  HEXAPLA_CHECK(t.strides[0] == 1 || rows == 1, "neither the rows nor the columns of a factor ", t.shape,
                " are contiguous");
  return {t, true, static_cast<size_t>(std::max(t.strides[1], rows))};
}

// Sizes, factors and result of one call, in elements.
struct Call {
  size_t m, n, k;
  Stored x, w, y;
  bool turned, added;  // x is read with its sides exchanged
  bool gradient;       // of a weight: no row of its own
};

constexpr int64_t kTileRows = 64, kTileColumns = 128, kTileDepth = 16;  // kernels/product.cl
constexpr int64_t kEnoughGroups = 512, kLeastDepth = 512, kMostParts = 8;

// Parts of k that are summed apart, so that a product with a small result and a long sum keeps a GPU busy. Only for
// gradients of weights: other results have a row's bits.
int64_t parts_of(const Call& c, int64_t tiles) {
  if (!c.gradient) return 1;
  const auto k = static_cast<int64_t>(c.k);
  return std::clamp<int64_t>(std::min(kEnoughGroups / tiles, k / kLeastDepth), 1, kMostParts);
}

Matrix as_stored(const Stored& s) { return {s.values, 0, 0, static_cast<int64_t>(s.stride)}; }

void multiply_by_tiles(Queue& queue, DType type, const Call& c, Tensor bias) {
  constexpr const char* kernels[2][2] = {{"product", "product_by_turned"},
                                         {"turned_product", "turned_product_by_turned"}};
  const char* const kernel = kernels[c.x.transposed != c.turned][c.w.transposed];
  const auto m = static_cast<int64_t>(c.m), n = static_cast<int64_t>(c.n), k = static_cast<int64_t>(c.k);
  const int64_t tiles = ((m + kTileRows - 1) / kTileRows) * ((n + kTileColumns - 1) / kTileColumns);
  const int64_t parts = parts_of(c, tiles);
  if (parts == 1) {
    queue.launch(kernel, type, tiles, as_stored(c.x), as_stored(c.w), as_stored(c.y), bias, m, n, k, c.added, tiles, k,
                 0);
    return;
  }
  const int64_t depth = ((k + parts - 1) / parts + kTileDepth - 1) / kTileDepth * kTileDepth;
  const Scratch sums{queue.scratch(static_cast<size_t>(parts * m * n) * size_of(type)).get(), 0, n};
  queue.launch(kernel, type, tiles * parts, as_stored(c.x), as_stored(c.w), sums, Tensor(), m, n, k, false, tiles,
               depth, m * n);
  queue.launch("add_parts", type, element_groups(m, n), Scratch{sums.buffer}, as_stored(c.y), n, parts, m * n);
}

}  // namespace

void OpenclBackend::multiply_matrices(const Product& p, Tensor bias) {
  Tensor y = p.y;
  Call c{static_cast<size_t>(y.shape[0]),
         static_cast<size_t>(y.shape[1]),
         static_cast<size_t>(p.x_transposed ? p.x.shape[0] : p.x.shape[1]),
         stored(p.x),
         stored(p.w),
         stored(y),
         p.x_transposed,
         p.added};
  if (c.m == 0 || c.n == 0) return;
  if (c.k == 0) {
    if (!p.added) fill(y, 0);
    return;
  }
  if (c.y.transposed) {  // y^T = w^T x^T
    std::swap(c.m, c.n);
    std::swap(c.x, c.w);
    c.w.transposed = c.w.transposed == c.turned;
    c.x.transposed = !c.x.transposed;
    c.turned = false;
  }
  const std::lock_guard lock(queue_.mutex());
  multiply_by_tiles(queue_, y.dtype, c, bias);
}

void OpenclBackend::linear(Tensor x, const Weight& w, Tensor b, Tensor y) {
  HEXAPLA_CHECK(!w.packed, "the weight ", w.shape(), " was packed by another device than OpenCL");
  multiply_matrices({x, w.values, y}, b);
}

void OpenclBackend::linear_backward_input(Tensor dy, Tensor w, Tensor dx, Write how) {
  multiply_matrices({.x = dy, .w = w.transposed(), .y = dx, .added = how == Write::add}, {});
}

void OpenclBackend::linear_backward_weight(Tensor x, Tensor dy, Tensor dw, Tensor db) {
  if (dw) multiply_matrices({.x = x, .w = dy, .y = dw, .x_transposed = true, .added = true}, {});
  if (db) add_column_sums(dy, {}, db, {});
}

}  // namespace hexapla::opencl
