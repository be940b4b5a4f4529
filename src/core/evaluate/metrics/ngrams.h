#pragma once
// n-grams of characters or words. Words are first converted to numbers, so both are sequences of
// char32_t.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hexapla::evaluate {

using NgramCounts = std::unordered_map<std::u32string_view, int64_t>;

// The keys point into `text`.
inline NgramCounts count_ngrams(std::u32string_view text, size_t n) {
  NgramCounts counts;
  for (size_t i = 0; i + n <= text.size(); ++i) ++counts[text.substr(i, n)];
  return counts;
}

inline int64_t ngrams_in(std::u32string_view text, size_t n) {
  return text.size() >= n ? static_cast<int64_t>(text.size() - n + 1) : 0;
}

// The sum over n-grams of the smaller count.
inline int64_t common_ngrams(const NgramCounts& hypothesis, const NgramCounts& reference) {
  int64_t matches = 0;
  for (const auto& [ngram, count] : hypothesis) {
    if (const auto found = reference.find(ngram); found != reference.end()) matches += std::min(count, found->second);
  }
  return matches;
}

// Maps equal words to equal numbers, within one object.
class WordNumbers {
 public:
  std::u32string operator()(const std::vector<std::string>& words) {
    std::u32string out;
    for (const std::string& word : words) {
      out += numbers_.try_emplace(word, static_cast<char32_t>(numbers_.size())).first->second;
    }
    return out;
  }

 private:
  std::unordered_map<std::string, char32_t> numbers_;
};

}  // namespace hexapla::evaluate
