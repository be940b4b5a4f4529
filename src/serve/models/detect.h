#pragma once
// Which language a text is in, by CLD2 (Compact Language Detector 2): scripts, and four letters at a time.
#include <string>
#include <vector>

namespace hexapla::serve {

struct DetectedLanguage {
  std::string code;
  double confidence = 0;  // 0 to 100: the part of the text that is in it; halved where that is a guess
};

// The most likely first; only languages of `among`, codes. Where the text shows none of them it is the first one, with
// a confidence of 0. among: at least one.
std::vector<DetectedLanguage> detect_language(const std::string& text, const std::vector<std::string>& among);

}  // namespace hexapla::serve
