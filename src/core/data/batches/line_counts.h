#pragma once
// The lengths of a training text's lines, which a model becomes accustomed to.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace hexapla::data {

struct LineCounts {
  // [side][n]: number of lines with n tokens, excluding </s>; sides: source, target.
  std::array<std::vector<int64_t>, 2> of_length{};
  int64_t lines = 0, several = 0;  // several: lines whose source has several sentences

  void add(size_t source_tokens, size_t target_tokens, bool several_sentences);
  void add(const LineCounts& more);
  // For each share, the smallest length that this share of the lines does not exceed; empty if
  // there are no lines.
  std::vector<int64_t> lengths(size_t side, std::span<const double> shares) const;

  std::vector<int64_t> numbers() const;  // to send to another process
  static LineCounts from_numbers(std::span<const int64_t> numbers);
};

}  // namespace hexapla::data
