#include "ops/selected.h"

#include <limits>

#include "backend/on_host.h"
#include "ops/rows.h"

namespace hexapla {
namespace {

// Returns the length of the longest list of a sequence with rows, at least 1.
int64_t check_lists(Tensor x, const OutputTable& table, const ColumnLists& lists) {
  const auto [n, d] = x.dims<2>("linear_selected: x");
  const Shape& w = table.w.shape();
  HEXAPLA_CHECK(w.rank() == 2 && d == w[0] && lists.rows.back() == n && lists.ids.size() + 1 == lists.rows.size(),
                "linear_selected: x ", x.shape, " does not fit w ", w, ", ", lists.rows.back(), " rows and ",
                lists.ids.size(), " lists of columns");
  HEXAPLA_CHECK(!table.w.packed || table.w.packed->shape() == w,
                "linear_selected: the packed copy is of another weight ", "than w ", w);
  HEXAPLA_CHECK(!table.integers || (table.integers.shape == (Shape{w[1], d}) && table.integers.contiguous() &&
                                    table.scales.shape == (Shape{w[1]})),
                "linear_selected: integers ", table.integers.shape, " and scales ", table.scales.shape,
                " do not fit w ", w);
  size_t longest = 1;
  for (size_t s = 0; s < lists.ids.size(); ++s) {
    if (lists.rows[s] < lists.rows[s + 1]) longest = std::max(longest, lists.ids[s].size());
    for (const int32_t id : lists.ids[s])
      HEXAPLA_CHECK(id >= 0 && id < w[1], "linear_selected: there is no column ", id, " in w ", w);
  }
  return static_cast<int64_t>(longest);
}

// Copies the listed columns from all columns.
template <class T>
void take_listed(Tensor all, const ColumnLists& lists, Tensor y) {
  for (size_t s = 0; s + 1 < lists.rows.size(); ++s)
    for (int64_t n = lists.rows[s]; n < lists.rows[s + 1]; ++n) {
      const std::span<T> row(row_of<T>(y, n), static_cast<size_t>(y.shape[1]));
      const auto rest = std::transform(lists.ids[s].begin(), lists.ids[s].end(), row.begin(),
                                       [from = row_of<T>(all, n)](int32_t id) { return from[id]; });
      std::fill(rest, row.end(), -std::numeric_limits<T>::infinity());
    }
}

}  // namespace

Tensor linear_selected(Context& cx, Tensor x, const OutputTable& table, const ColumnLists& lists) {
  const Tensor y = cx.keep({x.shape[0], check_lists(x, table, lists)});
  if (table.integers || table.w.values.strides[0] == 1) {
    cx.backend.linear_selected(x, table, lists, y);
    return y;
  }
  Arena::Frame frame(cx.arena);
  const Tensor all = cx.scratch({x.shape[0], table.w.shape()[1]});
  linear(cx, x, table.w, table.bias, all);
  const OnHost from(cx.backend, all), to = set_on_host(cx.backend, y);
  x.dtype == DType::f64 ? take_listed<double>(from, lists, to) : take_listed<float>(from, lists, to);
  to.write_back();
  return y;
}

}  // namespace hexapla
