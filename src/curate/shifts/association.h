#pragma once
// Which words go together in pairs of lines: enough of a lexicon to tell at which line two files lost step.
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hexapla::curate {

using Words = std::vector<uint32_t>;  // hashes of the different words of a line, sorted

// Words are runs of letters and digits, ASCII in lower case; without blanks between them (Chinese, Thai) they are
// characters.
Words words_of(std::string_view line);

// Dice's coefficient (1945) between source and target words, from pairs of lines.
class Association {
 public:
  void add(const Words& source, const Words& target);
  void remove(const Words& source, const Words& target);  // what was added
  // The mean over target words of the best coefficient with a source word; 0 for a line without words.
  double score(const Words& source, const Words& target) const;

 private:
  std::unordered_map<uint32_t, uint32_t> source_, target_;
  std::unordered_map<uint64_t, uint32_t> both_;
};

}  // namespace hexapla::curate
