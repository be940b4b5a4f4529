#include "serve/languages/word_evidence.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "serve/languages/common_words.h"
#include "serve/languages/languages.h"
#include "text/characters.h"

namespace hexapla::serve {
namespace {

constexpr size_t kMostBefore = 3;    // letters that a letter's probability depends on
constexpr double kUnseen = 1 / 60.;  // of a letter, before any is seen

std::u32string between_ends(const std::u32string& word) { return U" " + word + U" "; }

}  // namespace

std::vector<std::u32string> words_of(const std::string& text) {
  const std::string line = text::folded(text);
  std::vector<std::u32string> words;
  bool inside = false;
  for (const text::Character& c : text::characters_of(line)) {
    if (c.kind == text::CharacterKind::mark) continue;
    if (c.kind == text::CharacterKind::letter) {
      if (!inside) words.emplace_back();
      words.back() += text::code_point_at(line, c.from).first;
    }
    inside = c.kind == text::CharacterKind::letter;
  }
  return words;
}

WordEvidence::WordEvidence(std::string_view common_words) {
  for (const std::u32string& word : words_of(std::string(common_words))) {
    if (!common_.insert(word).second) continue;
    const std::u32string text = between_ends(word);
    for (size_t at = 1; at < text.size(); ++at)
      for (size_t before = 0; before <= std::min(at, kMostBefore); ++before) {
        Seen& seen = after_[text.substr(at - before, before)];
        seen.kinds += ++grams_[text.substr(at - before, before + 1)] == 1;
        ++seen.times;
      }
  }
}

const WordEvidence* WordEvidence::of(const std::string& code) {
  static const std::map<std::string, WordEvidence, std::less<>> all = [] {
    std::map<std::string, WordEvidence, std::less<>> lists;
    for (const CommonWords& one : common_words()) lists.emplace(one.language, WordEvidence(one.words));
    return lists;
  }();
  const auto found = all.find(language_part(code));
  return found == all.end() ? nullptr : &found->second;
}

// Witten and Bell (1991): what was seen after more letters counts as much as it was seen there, the
// rest is what was seen after fewer.
double WordEvidence::probability(const std::u32string& text, size_t at) const {
  double p = kUnseen;
  for (size_t before = 0; before <= std::min(at, kMostBefore); ++before) {
    const auto seen = after_.find(text.substr(at - before, before));
    if (seen == after_.end()) break;
    const auto gram = grams_.find(text.substr(at - before, before + 1));
    const double times = gram == grams_.end() ? 0 : gram->second;
    p = (times + seen->second.kinds * p) / (seen->second.times + seen->second.kinds);
  }
  return p;
}

bool WordEvidence::writes(const std::u32string& word) const {
  return std::all_of(word.begin(), word.end(), [&](char32_t c) { return grams_.count(std::u32string(1, c)) > 0; });
}

double WordEvidence::letters(const std::u32string& word) const {
  const std::u32string text = between_ends(word);
  double sum = 0;
  for (size_t at = 1; at < text.size(); ++at) sum += std::log(probability(text, at));
  return sum;
}

}  // namespace hexapla::serve
