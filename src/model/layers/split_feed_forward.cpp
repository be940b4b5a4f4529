#include "model/layers/split_feed_forward.h"

#include "ops/rows.h"

namespace hexapla::model {
namespace {

// Sets all columns to 0 except those of the chosen groups.
template <class T>
void keep_only(Tensor chosen, int64_t groups, Tensor hidden) {
  const int64_t active = chosen.shape[1], width = hidden.shape[1] / groups;
  std::vector<bool> kept(static_cast<size_t>(groups));
  for (int64_t i = 0; i < hidden.shape[0]; ++i) {
    std::fill(kept.begin(), kept.end(), false);
    const int32_t* of_row = chosen.data<int32_t>() + i * active;
    for (int64_t j = 0; j < active; ++j) kept[of_row[j]] = true;
    for (int64_t g = 0; g < groups; ++g)
      if (!kept[g]) std::fill_n(hidden.data<T>() + i * hidden.shape[1] + g * width, width, T{0});
  }
}

void keep_only(Tensor chosen, int64_t groups, Tensor hidden) {
  hidden.dtype == DType::f64 ? keep_only<double>(chosen, groups, hidden) : keep_only<float>(chosen, groups, hidden);
}

template <class T>
void sum_of_groups(Tensor hidden, Tensor sums) {
  const int64_t groups = sums.shape[1], width = hidden.shape[1] / groups;
  const T* from = hidden.data<T>();
  for (T& sum : sums.values<T>()) {
    sum = 0;
    for (int64_t i = 0; i < width; ++i) sum += *from++;
  }
}

}  // namespace

Tensor ByActivation::scores(Context& cx, Tensor, Tensor hidden) const {
  HEXAPLA_CHECK(hidden.shape[1] % experts == 0, "a hidden layer ", hidden.shape, " cannot be split into ", experts,
                " experts of equal size");
  const Tensor sums = cx.keep({hidden.shape[0], experts});
  hidden.dtype == DType::f64 ? sum_of_groups<double>(hidden, sums) : sum_of_groups<float>(hidden, sums);
  return sums;
}

Tensor ByRouter::scores(Context& cx, Tensor x, Tensor) const { return router.forward(cx, x); }

Tensor SplitFeedForward::forward(Context& cx, Tensor x, Offsets, Saved& s) const {
  only_in_host_memory(cx.backend, "a split feed-forward network");
  s = {.x = x, .inner = inner.forward(cx, x)};
  s.hidden = cx.keep(s.inner.shape);
  activate(cx, activation, s.inner, s.hidden);
  const Tensor scores = std::visit([&](const auto& c) { return c.scores(cx, x, s.hidden); }, choice);
  s.experts = scores.shape[1];
  s.chosen = cx.keep({x.shape[0], active}, DType::i32);
  best_columns(scores, s.chosen);
  keep_only(s.chosen, s.experts, s.hidden);
  return outer.forward(cx, s.hidden);
}

void SplitFeedForward::backward(Context& cx, const Saved& s, Tensor dy, Tensor d) const {
  Arena::Frame frame(cx.arena);
  const Tensor d_hidden = outer.backward(cx, s.hidden, dy);
  keep_only(s.chosen, s.experts, d_hidden);
  activate_backward(cx, activation, s.inner, d_hidden, d_hidden);
  inner.backward(cx, s.x, d_hidden, d, Write::add);
}

}  // namespace hexapla::model
