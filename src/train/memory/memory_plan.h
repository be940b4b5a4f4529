#pragma once
// How much memory a training needs, known before its first step.
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "data/batches/batch.h"
#include "train/objective/objective.h"

namespace hexapla::train {

struct MemoryPlan {  // bytes
  // What for, and how much: "weights", "gradients", "moments", "working memory", "data", ...
  std::vector<std::pair<std::string, size_t>> parts;
  size_t of(const std::string& part) const;  // 0: there is no such part
  size_t total() const;
  std::string text() const;  // "weights 42 MiB, gradients 42 MiB, ..., together 791 MiB"
};

// The arena's peak of a step on this batch, to the byte, found by doing everything of the step but its arithmetic. The
// parameters need memory for values and gradients, which stays as it is. Only lengths of the batch are read: made_up()
// will do. Somewhat more than the peak where the system has no addresses to try it in (ulimit -v).
size_t step_memory(const model::Transformer& model, const data::Batch& batch, const Objective& objective = {});
// The same of the loss alone, as in validation.
size_t loss_memory(const model::Transformer& model, const data::Batch& batch);

// A batch of pairs of these lengths, source (with </s>) and target (with </s>), and of nothing but the id 0.
data::Batch made_up(const std::vector<std::pair<int64_t, int64_t>>& lengths);

// The largest n in [1, most] with bytes(n) <= limit, where bytes never falls; 0 if there is none.
int64_t largest_that_fits(int64_t most, size_t limit, const std::function<size_t(int64_t)>& bytes);

// bytes that options.memory allows: its MiB, or four fifths of what this process may have.
size_t memory_limit(int64_t mebibytes);

// Rounded up, so that nothing is announced as 0.
constexpr size_t mebibytes(size_t bytes) { return (bytes + (size_t{1} << 20) - 1) >> 20; }

}  // namespace hexapla::train
