#pragma once
// The memory that a training needs, known before its first step.
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "data/batches/batch.h"
#include "train/plan/objective.h"

namespace hexapla::train {

struct MemoryPlan {  // bytes
  // Purpose and size: "weights", "gradients", "moments", "working memory", "data", ...
  std::vector<std::pair<std::string, size_t>> parts;
  size_t of(const std::string& part) const;  // 0 if there is no such part
  size_t total() const;
  std::string text() const;  // "weights 42 MiB, gradients 42 MiB, ..., together 791 MiB"
};

// Exact arena peak of a step on this batch, found by executing everything but its arithmetic. The
// parameters need memory for values and gradients; its contents do not change. Only the lengths in
// the batch are read: made_up() suffices. Slightly more than the peak if address space is too small
// to measure it (ulimit -v).
size_t step_memory(const model::Transformer& model, const data::Batch& batch, const Objective& objective = {});
// The same for the loss alone, as in validation.
size_t loss_memory(const model::Transformer& model, const data::Batch& batch);

// Arena capacity for this peak: its two stacks must not touch.
constexpr size_t capacity_for(size_t peak) { return peak + 64; }

// A batch of pairs with these lengths, source and target both including </s>; all ids are 0.
data::Batch made_up(const std::vector<std::pair<int64_t, int64_t>>& lengths);

// Largest n in [1, most] with bytes(n) <= limit, for non-decreasing bytes; 0 if none.
int64_t largest_that_fits(int64_t most, size_t limit, const std::function<size_t(int64_t)>& bytes);

// Bytes that options.memory allows: its MiB, or four fifths of the memory available to this
// process.
size_t memory_limit(int64_t mebibytes);

// Rounds up, so that nothing is reported as 0.
constexpr size_t mebibytes(size_t bytes) { return (bytes + (size_t{1} << 20) - 1) >> 20; }

}  // namespace hexapla::train
