#pragma once
// Word associations in pairs of lines: enough of a lexicon to find the line at which two files
// become misaligned.
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hexapla::data {

using Words = std::vector<uint32_t>;  // hashes of a line's distinct words, sorted

// Words are runs of letters and digits, with ASCII in lower case; in scripts without blanks
// (Chinese, Thai) they are characters.
Words words_of(std::string_view line);

// Dice's coefficient (1945) of source and target words in pairs of lines.
class Association {
 public:
  void add(const Words& source, const Words& target);
  void remove(const Words& source, const Words& target);  // reverts an add()
  // The mean over target words of the best coefficient with a source word; 0 without words.
  double score(const Words& source, const Words& target) const;

 private:
  std::unordered_map<uint32_t, uint32_t> source_, target_;
  std::unordered_map<uint64_t, uint32_t> both_;
};

}  // namespace hexapla::data
