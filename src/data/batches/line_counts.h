#pragma once
// How long the lines of a training text are: what a model gets used to.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace hexapla::data {

struct LineCounts {
  // [side][n]: lines of n tokens, </s> not counted; the sides are source and target.
  std::array<std::vector<int64_t>, 2> of_length{};
  int64_t lines = 0, several = 0;  // several: those whose source has several sentences

  void add(size_t source_tokens, size_t target_tokens, bool several_sentences);
  void add(const LineCounts& more);
  // For each share the least length that so large a share of the lines does not exceed; empty where there are no lines.
  std::vector<int64_t> lengths(size_t side, std::span<const double> shares) const;

  std::vector<int64_t> numbers() const;  // for another process
  static LineCounts from_numbers(std::span<const int64_t> numbers);
};

}  // namespace hexapla::data
