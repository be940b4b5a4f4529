#pragma once
// Detects the language of a text with CLD2 (Compact Language Detector 2), from scripts and 4-grams
// of letters.
#include <string>
#include <vector>

namespace hexapla::serve {

struct DetectedLanguage {
  std::string code;
  double confidence = 0;  // 0 to 100: percentage of the text in this language, halved if CLD2 is unsure
};

// Most likely first; only languages in `among` (codes, at least one). If the text shows none of
// them, the first of `among` with confidence 0.
std::vector<DetectedLanguage> detect_language(const std::string& text, const std::vector<std::string>& among);

}  // namespace hexapla::serve
