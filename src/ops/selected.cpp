#include "ops/selected.h"

#include <limits>

#include "base/compute/parallel.h"

namespace hexapla {
namespace {

constexpr int64_t kColumnsAtOnce = 4, kColumnsOfAThread = 256;

// Of one row with four columns, so that their sums do not wait for each other.
template <class T>
void four_products(const T* x, const T* const* columns, int64_t d, T* sums) {
  T a = 0, b = 0, c = 0, e = 0;
  const T *w0 = columns[0], *w1 = columns[1], *w2 = columns[2], *w3 = columns[3];
#pragma omp simd reduction(+ : a, b, c, e)
  for (int64_t i = 0; i < d; ++i) {
    a += x[i] * w0[i];
    b += x[i] * w1[i];
    c += x[i] * w2[i];
    e += x[i] * w3[i];
  }
  sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = e;
}

struct SelectedProduct {
  Tensor x, w, b, y;
};

// The rows [from, to) with these columns, four at most.
template <class T>
void some_columns(const SelectedProduct& p, int64_t from, int64_t to, std::span<const int32_t> ids) {
  const T* columns[kColumnsAtOnce];
  for (int64_t j = 0; j < kColumnsAtOnce; ++j)
    columns[j] = p.w.data<T>() + ids[std::min<size_t>(static_cast<size_t>(j), ids.size() - 1)] * p.w.strides[1];
  for (int64_t n = from; n < to; ++n) {
    T sums[kColumnsAtOnce];
    four_products(p.x.data<T>() + n * p.x.strides[0], columns, p.w.shape[0], sums);
    T* y = p.y.data<T>() + n * p.y.strides[0];
    for (size_t j = 0; j < ids.size(); ++j) y[ids[j]] = sums[j] + (p.b ? p.b.data<T>()[ids[j]] : T{0});
  }
}

template <class T>
void fill_with_never(Tensor y) {
  const auto values = y.values<T>();
  parallel_for(y.shape[0], [&](int64_t n) {
    std::fill_n(values.data() + n * y.shape[1], y.shape[1], -std::numeric_limits<T>::infinity());
  });
}

template <class T>
void run_selected(const SelectedProduct& p, Offsets rows, std::span<const std::span<const int32_t>> those) {
  fill_with_never<T>(p.y);
  struct Share {
    int64_t from, to;
    std::span<const int32_t> ids;
  };
  std::vector<Share> shares;
  for (size_t s = 0; s + 1 < rows.size(); ++s)
    for (size_t at = 0; rows[s] < rows[s + 1] && at < those[s].size(); at += kColumnsOfAThread)
      shares.push_back(
          {rows[s], rows[s + 1], those[s].subspan(at, std::min<size_t>(kColumnsOfAThread, those[s].size() - at))});
  parallel_for(static_cast<int64_t>(shares.size()), [&](int64_t i) {
    const Share& share = shares[static_cast<size_t>(i)];
    for (size_t at = 0; at < share.ids.size(); at += kColumnsAtOnce)
      some_columns<T>(p, share.from, share.to,
                      share.ids.subspan(at, std::min<size_t>(kColumnsAtOnce, share.ids.size() - at)));
  });
}

// All columns, of which only those that are listed stay.
template <class T>
void keep_selected(Tensor all, Tensor y, Offsets rows, std::span<const std::span<const int32_t>> those) {
  fill_with_never<T>(y);
  for (size_t s = 0; s + 1 < rows.size(); ++s)
    for (int64_t n = rows[s]; n < rows[s + 1]; ++n)
      for (const int32_t id : those[s]) y.data<T>()[n * y.shape[1] + id] = all.data<T>()[n * all.strides[0] + id];
}

}  // namespace

Tensor linear_selected(Context& cx, Tensor x, const Weight& w, Tensor b, Offsets rows,
                       std::span<const std::span<const int32_t>> those) {
  const auto [n, d] = x.dims<2>("linear_selected: x");
  const auto [in, out] = w.values.dims<2>("linear_selected: w");
  HEXAPLA_CHECK(d == in && rows.back() == n && those.size() + 1 == rows.size(), "linear_selected: x ", x.shape,
                " does not fit w ", w.shape(), ", ", rows.back(), " rows and ", those.size(), " lists of columns");
  for (const auto ids : those)
    for (const int32_t id : ids)
      HEXAPLA_CHECK(id >= 0 && id < out, "linear_selected: there is no column ", id, " in w ", w.shape());
  const bool wide = x.dtype == DType::f64;
  const Tensor y = cx.keep({n, out});
  if (w.values.strides[0] != 1) {
    Arena::Frame frame(cx.arena);
    const Tensor all = cx.scratch({n, out});
    linear(cx, x, w, b, all);
    wide ? keep_selected<double>(all, y, rows, those) : keep_selected<float>(all, y, rows, those);
    return y;
  }
  const SelectedProduct p{x, w.values, b, y};
  wide ? run_selected<double>(p, rows, those) : run_selected<float>(p, rows, those);
  return y;
}

}  // namespace hexapla
