#include "train/plan/memory_plan.h"

#include <algorithm>
#include <optional>

#include "base/system/machine.h"
#include "model/pass_memory.h"

namespace hexapla::train {
namespace {

// The same sequences at half length; none if they cannot be shorter.
std::optional<data::Batch> half_of(const data::Batch& batch) {
  std::vector<std::pair<int64_t, int64_t>> lengths;
  for (size_t i = 0; i + 1 < batch.source_offsets.size(); ++i)
    lengths.emplace_back((batch.source_offsets[i + 1] - batch.source_offsets[i] + 1) / 2,
                         (batch.target_offsets[i + 1] - batch.target_offsets[i] + 1) / 2);
  data::Batch half = made_up(lengths);
  if (half.source.size() == batch.source.size()) return {};
  return half;
}

}  // namespace

size_t MemoryPlan::of(const std::string& part) const {
  for (const auto& [name, bytes] : parts)
    if (name == part) return bytes;
  return 0;
}

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

size_t step_memory(const model::Transformer& model, const data::Batch& batch, const Objective& objective) {
  return model::pass_memory(batch, half_of, [&](Context& cx, const data::Batch& b) {
    model::Transformer::Saved saved;
    cx.training = true;
    loss_and_gradient(cx, model, b, objective, 0, saved);
  });
}

size_t loss_memory(const model::Transformer& model, const data::Batch& batch) {
  return model::pass_memory(batch, half_of, [&](Context& cx, const data::Batch& b) {
    model::Transformer::Saved saved;
    model.loss(cx, view(b, {}, 0), 0, saved);
  });
}

data::Batch made_up(const std::vector<std::pair<int64_t, int64_t>>& lengths) {
  data::Batch b;
  b.source_offsets = b.target_offsets = {0};
  for (const auto& [source, target] : lengths) {
    b.source.resize(b.source.size() + static_cast<size_t>(source));
    b.target_out.resize(b.target_out.size() + static_cast<size_t>(target));
    b.source_offsets.push_back(static_cast<int32_t>(b.source.size()));
    b.target_offsets.push_back(static_cast<int32_t>(b.target_out.size()));
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

}  // namespace hexapla::train
