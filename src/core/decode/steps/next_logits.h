#pragma once
// The logits for the next tokens.
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "backend/on_host.h"
#include "ops/ops.h"

namespace hexapla::decode {

struct NextLogits {
  Tensor values;   // [N, V]; or, with lists, [N, W]: column j of row n is for piece lists[n][j]; -inf after its end
  int64_t pieces;  // V
  std::vector<std::span<const int32_t>> lists;  // sorted; for each row what a shortlist allows, or empty

  NextLogits(Tensor all) : values(all), pieces(all.shape[1]) {}
  NextLogits(Tensor some, int64_t of, std::vector<std::span<const int32_t>> which)
      : values(some), pieces(of), lists(std::move(which)) {}

  int64_t rows() const { return values.shape[0]; }
  NextLogits slice(int64_t from, int64_t n) const {
    const Tensor those = values.slice(from, n);
    if (lists.empty()) return those;
    const auto first = lists.begin() + static_cast<std::ptrdiff_t>(from);
    return {those, pieces, {first, first + static_cast<std::ptrdiff_t>(n)}};
  }
  int32_t id(int64_t row, int32_t column) const { return lists.empty() ? column : lists[row][column]; }
  // InternalError: the row's list does not contain the piece.
  int64_t column(int64_t row, int32_t id) const {
    if (lists.empty()) return id;
    const auto list = lists[row];
    const auto at = std::lower_bound(list.begin(), list.end(), id);
    HEXAPLA_CHECK(at != list.end() && *at == id, "decoding: the shortlist of row ", row, " does not have piece ", id);
    return at - list.begin();
  }
  // [N, V], kept if there are lists: -inf for pieces that they do not contain.
  Tensor whole(Context& cx) const { return lists.empty() ? values : scattered(cx); }

 private:
  Tensor scattered(Context& cx) const {
    const Tensor all = cx.keep({rows(), pieces});
    const OnHost from(cx.backend, values), to = set_on_host(cx.backend, all);
    values.dtype == DType::f64 ? scatter<double>(from, to) : scatter<float>(from, to);
    to.write_back();
    return all;
  }
  template <class T>
  void scatter(Tensor some, Tensor all) const {
    std::fill_n(all.data<T>(), all.size(), -std::numeric_limits<T>::infinity());
    for (int64_t n = 0; n < rows(); ++n) {
      const auto list = lists[n];
      const T* row = some.data<T>() + n * some.strides[0];
      for (size_t j = 0; j < list.size(); ++j) all.data<T>()[n * pieces + list[j]] = row[j];
    }
  }
};

}  // namespace hexapla::decode
