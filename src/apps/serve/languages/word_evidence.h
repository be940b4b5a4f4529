#pragma once
// How well the words of a short text fit a language: whether they are common there, and how likely
// their letters are after one another.
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace hexapla::serve {

// The words of a text in letters, folded, without marks; a digit, a hyphen or an apostrophe ends a
// word.
std::vector<std::u32string> words_of(const std::string& text);

// The evidence of a language's list of common words.
class WordEvidence {
 public:
  explicit WordEvidence(std::string_view common_words);
  // Null if there is no list for this code. Lists are read once.
  static const WordEvidence* of(const std::string& code);

  bool common(const std::u32string& word) const { return common_.count(word) > 0; }
  // Whether the list has all of its letters.
  bool writes(const std::u32string& word) const;
  // Natural logarithm of the probability of the word's letters and of its end, each after the three
  // before it.
  double letters(const std::u32string& word) const;

 private:
  struct Seen {
    double times = 0, kinds = 0;  // letters that follow; how many different ones
  };
  double probability(const std::u32string& text, size_t at) const;

  std::unordered_set<std::u32string> common_;
  std::unordered_map<std::u32string, double> grams_;  // of 1 to 4 letters, and how often they occur
  std::unordered_map<std::u32string, Seen> after_;    // what follows 0 to 3 letters
};

}  // namespace hexapla::serve
