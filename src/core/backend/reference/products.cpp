#include <algorithm>
#include <limits>

#include "backend/reference/internal.h"

namespace hexapla::reference {

std::unique_ptr<PackedWeight> Reference::pack_quantized(Tensor integers, Tensor) {
  throw UsageError(
      cat("the reference backend has no copy of the quantized weight ", integers.shape, "; dequantize it first"));
}

void Reference::linear(Tensor x, const Weight& w, Tensor b, Tensor y) {
  HEXAPLA_CHECK(!w.packed, "the weight ", w.shape(), " was packed by another device than the reference");
  store(product(load(x), load(w.values), load(b)), y);
}

void Reference::linear_selected(Tensor x, const OutputTable& table, const ColumnLists& lists, Tensor y) {
  const Rows all = load(x), bias = load(table.bias),
             numbers = table.integers ? Rows() : load(table.w.values.transposed());
  Rows out(y);
  std::fill(out.values.begin(), out.values.end(), -std::numeric_limits<double>::infinity());
  const auto column = [&](int64_t id) {
    if (!table.integers) return std::vector<double>(numbers[id], numbers[id] + numbers.width);
    std::vector<double> one(static_cast<size_t>(all.width));
    const int8_t* integers = table.integers.data<int8_t>() + id * table.integers.strides[0];
    for (size_t i = 0; i < one.size(); ++i)
      one[i] = static_cast<double>(integers[i]) * static_cast<double>(table.scales.data<float>()[id]);
    return one;
  };
  for (size_t s = 0; s + 1 < lists.rows.size(); ++s)
    for (size_t j = 0; lists.rows[s] < lists.rows[s + 1] && j < lists.ids[s].size(); ++j) {
      const int32_t id = lists.ids[s][j];
      const std::vector<double> one = column(id);
      for (int64_t n = lists.rows[s]; n < lists.rows[s + 1]; ++n)
        out[n][j] = dot(all[n], one.data(), all.width) + (bias ? bias[0][id] : 0);
    }
  store(out, y);
}

void Reference::linear_backward_input(Tensor dy, Tensor w, Tensor dx, Write how) {
  const Rows d = product(load(dy), transpose(load(w)), {});
  if (how == Write::add)
    add_to(d, dx);
  else
    store(d, dx);
}

void Reference::linear_backward_weight(Tensor x, Tensor dy, Tensor dw, Tensor db) {
  const Rows d = load(dy);
  if (dw) add_to(product(transpose(load(x)), d, {}), dw);
  add_to(sum_of_rows(d), db);
}

}  // namespace hexapla::reference
