#include "data/batches/line_counts.h"

#include <algorithm>

namespace hexapla::data {
namespace {

void count(std::vector<int64_t>& of_length, size_t length, int64_t lines) {
  if (of_length.size() <= length) of_length.resize(length + 1);
  of_length[length] += lines;
}

}  // namespace

void LineCounts::add(size_t source_tokens, size_t target_tokens, bool several_sentences) {
  count(of_length[0], source_tokens, 1);
  count(of_length[1], target_tokens, 1);
  ++lines;
  several += several_sentences;
}

void LineCounts::add(const LineCounts& more) {
  for (size_t side : {0, 1})
    for (size_t length = 0; length < more.of_length[side].size(); ++length)
      count(of_length[side], length, more.of_length[side][length]);
  lines += more.lines;
  several += more.several;
}

std::vector<int64_t> LineCounts::lengths(size_t side, std::span<const double> shares) const {
  std::vector<int64_t> found;
  if (lines == 0) return found;
  int64_t length = -1, within = 0;
  for (const double share : shares) {
    while (static_cast<double>(within) < share * static_cast<double>(lines)) within += of_length[side][++length];
    found.push_back(length);
  }
  return found;
}

std::vector<int64_t> LineCounts::numbers() const {
  std::vector<int64_t> all{lines, several, std::ssize(of_length[0])};
  for (const auto& side : of_length) all.insert(all.end(), side.begin(), side.end());
  return all;
}

LineCounts LineCounts::from_numbers(std::span<const int64_t> numbers) {
  const auto sources = static_cast<size_t>(numbers[2]);
  const auto source = numbers.subspan(3, sources), target = numbers.subspan(3 + sources);
  return {
      {std::vector(source.begin(), source.end()), std::vector(target.begin(), target.end())}, numbers[0], numbers[1]};
}

}  // namespace hexapla::data
