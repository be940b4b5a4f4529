#include "serve/models/detect.h"

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>

#include <algorithm>

#include "base/error.h"
#include "serve/models/languages.h"
#include "text/utf8.h"

namespace hexapla::serve {
namespace {

constexpr std::size_t enough = 64 << 10;  // bytes of a text that are looked at

}  // namespace

std::vector<DetectedLanguage> detect_language(const std::string& text, const std::vector<std::string>& among) {
  HEXAPLA_CHECK(!among.empty(), "detect: no language to choose from");
  const std::string sound = text::clean_utf8(text.substr(0, enough));  // may end inside a character
  const CLD2::CLDHints hints{nullptr, nullptr, CLD2::UNKNOWN_ENCODING, CLD2::UNKNOWN_LANGUAGE};
  CLD2::Language languages[3];
  int percent[3], bytes = 0;
  double scores[3];
  bool reliable = false;
  CLD2::ExtDetectLanguageSummary(sound.data(), static_cast<int>(sound.size()), true, &hints, CLD2::kCLDFlagBestEffort,
                                 languages, percent, scores, nullptr, &bytes, &reliable);
  std::vector<DetectedLanguage> found;
  for (int i = 0; i < 3; ++i) {
    const std::string code = language_code(CLD2::LanguageCode(languages[i]));
    if (languages[i] == CLD2::UNKNOWN_LANGUAGE || std::find(among.begin(), among.end(), code) == among.end()) continue;
    found.push_back({code, reliable ? percent[i] : percent[i] / 2.0});
  }
  if (found.empty()) found.push_back({among.front(), 0});
  return found;
}

}  // namespace hexapla::serve
