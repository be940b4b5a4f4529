#pragma once
// Which words go together in pairs of lines: enough of a lexicon to tell at which line two files lost step.
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hexapla {

using Words = std::vector<uint32_t>;  // hashes of the different words of a line, sorted

// Words are runs of letters and digits, ASCII in lower case; without blanks between them (Chinese, Thai) they are
// characters.
Words words_of(std::string_view line);

// Dice's coefficient (1945) between source and target words, from pairs of lines.
class Association {
 public:
  void add(const Words& source, const Words& target);
  // The mean over target words of the best coefficient with a source word; 0 for a line without words.
  double score(const Words& source, const Words& target) const;

 private:
  std::unordered_map<uint32_t, uint32_t> source_, target_;
  std::unordered_map<uint64_t, uint32_t> both_;
};

// Lines first_line, first_line + 1, ... of both sides, around a change of shift.
struct Surroundings {
  int64_t first_line = 0;
  std::vector<Words> source, target;
};

// The line, within `reach` lines of `near`, from which on `after` is the better shift, when `before` was it until then.
// Learns which words go together from the lines outside of reach. Lines are counted as in `text`.
int64_t locate_change(const Surroundings& text, int64_t near, int before, int after, int64_t reach = 50);

}  // namespace hexapla
