#include "serve/languages/detect.h"

#include <cstdio>  // missing in cld2's header
// clang-format off
#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>
// clang-format on

#include <algorithm>
#include <array>

#include "base/error.h"
#include "serve/languages/languages.h"
#include "text/utf8.h"

namespace hexapla::serve {
namespace {

constexpr std::size_t kEnough = 64 << 10;  // bytes of a text that are examined
constexpr std::size_t kMostHints = 4;      // used by CLD2

struct Summary {
  std::array<CLD2::Language, 3> languages;
  std::array<int, 3> percent;
  std::array<double, 3> scores;
  bool reliable = false;
};

// expected: likely languages, "de,en".
Summary summary_of(const std::string& text, const std::string& expected) {
  const CLD2::CLDHints hints{expected.c_str(), nullptr, CLD2::UNKNOWN_ENCODING, CLD2::UNKNOWN_LANGUAGE};
  Summary s{};
  int bytes = 0;
  CLD2::ExtDetectLanguageSummary(text.data(), static_cast<int>(text.size()), true, &hints, CLD2::kCLDFlagBestEffort,
                                 s.languages.data(), s.percent.data(), s.scores.data(), nullptr, &bytes, &s.reliable);
  return s;
}

// The language in `among` that CLD2 found; "" for none.
std::string served(const std::vector<std::string>& among, CLD2::Language language) {
  return language == CLD2::UNKNOWN_LANGUAGE ? "" : variant_among(among, language_code(CLD2::LanguageCode(language)));
}

std::string as_hint(const std::string& code) { return code.starts_with("zh") ? code : language_part(code); }

// How well a text fits an expected language.
double score_of(const std::string& text, const std::string& code) {
  const Summary s = summary_of(text, as_hint(code));
  for (std::size_t i = 0; i < s.languages.size(); ++i)
    if (!served({code}, s.languages[i]).empty()) return s.percent[i] * s.scores[i];
  return 0;
}

// Hints for CLD2: it knows 80 languages and takes a short German sentence for Norwegian unless it
// is told which languages can be translated.
std::string expected_of(const std::string& text, std::vector<std::string> among) {
  if (among.size() > kMostHints) {
    std::vector<std::pair<double, std::string>> scored;
    for (std::string& code : among) scored.emplace_back(score_of(text, code), std::move(code));
    std::stable_sort(scored.begin(), scored.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    among.clear();
    for (std::size_t i = 0; i < kMostHints; ++i) among.push_back(std::move(scored[i].second));
  }
  std::string hint;
  for (const std::string& code : among) hint += (hint.empty() ? "" : ",") + as_hint(code);
  return hint;
}

}  // namespace

std::vector<DetectedLanguage> detect_language(const std::string& text, const std::vector<std::string>& among) {
  HEXAPLA_CHECK(!among.empty(), "detect: no language to choose from");
  const std::string sound = text::clean_utf8(text.substr(0, kEnough));  // may have been cut inside a character
  const Summary s = summary_of(sound, expected_of(sound, among));
  std::vector<DetectedLanguage> found;
  for (std::size_t i = 0; i < s.languages.size(); ++i) {
    const std::string code = served(among, s.languages[i]);
    const auto same = [&](const DetectedLanguage& d) { return d.code == code; };
    if (code.empty() || std::any_of(found.begin(), found.end(), same)) continue;
    found.push_back({code, s.reliable ? s.percent[i] : s.percent[i] / 2.0});
  }
  if (found.empty()) found.push_back({among.front(), 0});
  return found;
}

}  // namespace hexapla::serve
