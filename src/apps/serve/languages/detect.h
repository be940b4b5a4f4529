#pragma once
// Detects the language of a text with CLD2 (Compact Language Detector 2), from scripts and 4-grams
// of letters, and that of a few words also by lists of common words.
#include <string>
#include <vector>

#include "serve/languages/served_models.h"

namespace hexapla::serve {

struct DetectedLanguage {
  std::string code;
  // 0 to 100. Of at most 20 words: how probable the language is among those asked about. Of more:
  // percentage of the text in this language, halved if CLD2 is unsure.
  double confidence = 0;
};

// Most likely first; only languages in `among` (codes, at least one). If the text shows none of
// them, the first that is likely with confidence 0. likely: those of `among` that are more likely
// than the others before the text is seen; empty for all.
std::vector<DetectedLanguage> detect_language(const std::string& text, const std::vector<std::string>& among,
                                              const std::vector<std::string>& likely = {});

// The language that a text is translated from: one that a model translates into the target, or the
// target itself if the text is clearly in it, and not merely a word that both may have.
std::vector<DetectedLanguage> detect_source(const std::string& text, const ModelSet& models, const std::string& target);

}  // namespace hexapla::serve
