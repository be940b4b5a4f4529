#include "train/memory_plan.h"

#include <algorithm>

#include "backend/no_work.h"
#include "base/machine.h"

namespace hexapla {
namespace {

// call(context) on an arena whose pages are never touched by arithmetic.
template <class Call>
size_t peak_of(Call&& call) {
  NoWork nothing;
  Arena arena(physical_memory());
  Context cx{nothing, arena};
  call(cx);
  return arena.peak();
}

}  // namespace

size_t MemoryPlan::total() const {
  size_t sum = 0;
  for (const auto& part : parts) sum += part.second;
  return sum;
}

std::string MemoryPlan::text() const {
  std::string text;
  for (const auto& [name, bytes] : parts) text += cat(name, " ", mebibytes(bytes), " MiB, ");
  return cat(text, "together ", mebibytes(total()), " MiB");
}

size_t step_memory(const Transformer& model, const Batch& batch, const Guidance& guidance) {
  Transformer::Saved saved;
  return peak_of([&](Context& cx) {
    cx.training = true;
    model.loss_and_gradient(cx, view(batch, guidance, 0), 0, 0, saved);
  });
}

size_t loss_memory(const Transformer& model, const Batch& batch) {
  Transformer::Saved saved;
  return peak_of([&](Context& cx) { model.loss(cx, view(batch, {}, 0), 0, saved); });
}

Batch made_up(const std::vector<std::pair<int64_t, int64_t>>& lengths) {
  Batch b;
  b.source_starts = b.target_starts = {0};
  for (const auto& [source, target] : lengths) {
    b.source.resize(b.source.size() + static_cast<size_t>(source));
    b.target_out.resize(b.target_out.size() + static_cast<size_t>(target));
    b.source_starts.push_back(static_cast<int32_t>(b.source.size()));
    b.target_starts.push_back(static_cast<int32_t>(b.target_out.size()));
    b.lines.push_back(0);
  }
  b.target_in = b.target_out;
  return b;
}

size_t memory_limit(int64_t mebibytes) {
  return mebibytes > 0 ? static_cast<size_t>(mebibytes) << 20 : usable_memory() / 5 * 4;
}

int64_t largest_that_fits(int64_t most, size_t limit, const std::function<size_t(int64_t)>& bytes) {
  int64_t low = 0, high = 1;  // low fits
  while (high < most && bytes(high) <= limit) low = high, high = std::min(2 * high, most);
  if (high == most && bytes(most) <= limit) return most;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (bytes(middle) <= limit ? low : high) = middle;
  }
  return low;
}

}  // namespace hexapla
