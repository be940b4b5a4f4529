#pragma once
// Fake translations for tests of documents: a line's words reordered or rewritten, with their
// alignment.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/compute/random.h"
#include "documents/document.h"
#include "text/lines/sentences.h"
#include "text/words.h"

namespace hexapla::text::document {

// Maps the words of a line to those of its translation.
using Words = std::function<std::vector<std::string>(const std::vector<std::string>&)>;

inline std::vector<std::string> reversed(std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());
  return words;
}
inline std::vector<std::string> in_capitals(std::vector<std::string> words) {
  for (std::string& word : words)
    for (char& c : word)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return words;
}
inline std::vector<std::string> chinese(const std::vector<std::string>& words) {
  return std::vector<std::string>(words.size(), "狗");
}
inline std::vector<std::string> in_english(const std::vector<std::string>& words) {
  return std::vector<std::string>(words.size(), "dog");
}

// Links word i of the translation to word i of the line, or counted from the end if that is the
// same word.
inline Translation translation_of(const std::string& line, const Words& words) {
  Translation t;
  for (const std::string_view word : text::words(line)) t.alignment.source_words.emplace_back(word);
  const std::vector<std::string>& source = t.alignment.source_words;
  t.alignment.target_words = words(source);
  t.text = t.alignment.target_words == source ? line : text::joined(t.alignment.target_words);
  const bool turned = t.alignment.target_words == reversed(source);
  const int n = static_cast<int>(std::min(source.size(), t.alignment.target_words.size()));
  for (int i = 0; i < n; ++i) t.alignment.links.emplace_back(turned ? n - 1 - i : i, i);
  return t;
}

inline std::string translated(const Document& document, const Words& words) {
  PendingTranslation::Lines found;
  for (const std::string& line : document.lines()) found.push_back({translation_of(line, words)});
  return document.joined(0, found, 0);
}

// The words of a line in random order, with some wrong and some missing links.
inline Translation shuffled(const std::string& line, Random& random) {
  Translation t;
  Alignment& a = t.alignment;
  for (const std::string_view word : text::words(line)) a.source_words.emplace_back(word);
  const auto n = static_cast<std::uint32_t>(a.source_words.size());
  std::vector<std::uint32_t> order(n);
  for (std::uint32_t i = 0; i < n; ++i) order[i] = i;
  for (std::uint32_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (std::uint32_t i = 0; i < n; ++i) {
    t.text += (i > 0 ? " " : "") + a.source_words[order[i]];
    a.target_words.push_back(a.source_words[order[i]]);
    if (random.below(8) > 0)
      a.links.emplace_back(random.below(8) > 0 ? order[i] : random.below(n), static_cast<int>(i));
  }
  return t;
}

inline std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
  return text;
}

}  // namespace hexapla::text::document
