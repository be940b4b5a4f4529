#include "decode/lines/length_batches.h"

#include <algorithm>
#include <numeric>

namespace hexapla::decode {

std::vector<size_t> longest_first(std::span<const int64_t> lengths) {
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t i) { return lengths[i] == 0; });
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  return order;
}

std::vector<std::vector<size_t>> plan_batches(std::span<const int64_t> lengths, const TranslateOptions& options) {
  const std::vector<size_t> order = longest_first(lengths);
  std::vector<std::vector<size_t>> batches;
  int64_t tokens = 0;
  for (size_t index : order) {
    if (batches.empty() || std::ssize(batches.back()) == options.batch_sentences ||
        tokens + lengths[index] > options.batch_tokens) {
      batches.emplace_back();
      tokens = 0;
    }
    batches.back().push_back(index);
    tokens += lengths[index];
  }
  return batches;
}

}  // namespace hexapla::decode
