#include "serve/languages/detect.h"

#include <cstdio>  // missing in cld2's header
// clang-format off
#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>
// clang-format on

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "serve/languages/languages.h"
#include "serve/languages/word_evidence.h"
#include "text/utf8.h"

namespace hexapla::serve {
namespace {

constexpr std::size_t kEnough = 64 << 10;  // bytes of a text that are examined
constexpr std::size_t kMostHints = 4;      // used by CLD2
constexpr std::size_t kFewWords = 20;      // of a text whose words are looked up
// In nats, chosen on half of the phrases in fixtures/short_texts.tsv:
constexpr double kCommon = 4;          // a word is common in a language
constexpr double kOpinion = 4;         // CLD2 prefers a language
constexpr double kLetters = 0.2;       // weight of the letters' probabilities, which depend on each other
constexpr double kUsualLetter = -2.5;  // logarithm of a letter's probability in its own language
constexpr double kUnlikely = 6;        // no model on offer reads the language

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

bool has(const std::vector<std::string>& codes, const std::string& code) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
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

// The languages that CLD2 finds in a text, most likely first.
std::vector<DetectedLanguage> found_in(const Summary& s, const std::vector<std::string>& among) {
  std::vector<DetectedLanguage> found;
  for (std::size_t i = 0; i < s.languages.size(); ++i) {
    const std::string code = served(among, s.languages[i]);
    const auto same = [&](const DetectedLanguage& d) { return d.code == code; };
    if (code.empty() || std::any_of(found.begin(), found.end(), same)) continue;
    found.push_back({code, s.reliable ? s.percent[i] : s.percent[i] / 2.0});
  }
  return found;
}

// How well a few words fit a language, in nats; nothing if they show no sign of it. cld: CLD2's
// opinion, 0 to 1.
std::optional<double> fit(const std::vector<std::u32string>& words, const std::string& code, double cld) {
  const WordEvidence* const list = WordEvidence::of(code);
  bool sign = cld > 0, written = list && !words.empty();
  double sum = kOpinion * cld;
  for (const std::u32string& word : words) {
    const double ends = static_cast<double>(word.size()) + 1;
    sum += list ? kCommon * list->common(word) + kLetters * list->letters(word)
                : kCommon / 2 + kLetters * kUsualLetter * ends;  // neither known nor strange
    sign = sign || (list && list->common(word));
    written = written && list->writes(word);
  }
  return sign || written ? std::optional(sum) : std::nullopt;
}

// Few words, which may be too few for CLD2.
std::vector<DetectedLanguage> detect_words(const std::string& text, const std::vector<std::u32string>& words,
                                           const std::vector<std::string>& among,
                                           const std::vector<std::string>& likely) {
  std::vector<double> cld;
  for (const std::string& code : among) cld.push_back(score_of(text, code));
  const double most = std::max(*std::max_element(cld.begin(), cld.end()), 1e-9);
  std::vector<DetectedLanguage> found;  // with their fit instead of a confidence
  for (std::size_t i = 0; i < among.size(); ++i)
    if (const auto how = fit(words, among[i], cld[i] / most))
      found.push_back({among[i], *how - (has(likely, among[i]) ? 0 : kUnlikely)});
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.confidence > b.confidence; });
  if (found.empty()) return found;
  double all = 0;
  const double best = found.front().confidence;
  for (DetectedLanguage& d : found) all += d.confidence = std::exp(d.confidence - best);
  for (DetectedLanguage& d : found) d.confidence = std::round(100 * d.confidence / all);
  std::erase_if(found, [](const DetectedLanguage& d) { return d.confidence == 0; });
  return found;
}

}  // namespace

std::vector<DetectedLanguage> detect_language(const std::string& text, const std::vector<std::string>& among,
                                              const std::vector<std::string>& likely) {
  HEXAPLA_CHECK(!among.empty(), "detect: no language to choose from");
  const std::string sound = text::clean_utf8(text.substr(0, kEnough));  // may have been cut inside a character
  const std::vector<std::string>& expected = likely.empty() ? among : likely;
  std::vector<DetectedLanguage> found;
  if (const auto words = words_of(sound); words.size() <= kFewWords) {
    found = detect_words(sound, words, among, expected);
  } else {
    const Summary s = summary_of(sound, expected_of(sound, among));
    found = found_in(s, among);
    if (!s.reliable)
      std::stable_partition(found.begin(), found.end(), [&](const auto& d) { return has(expected, d.code); });
  }
  if (found.empty()) found.push_back({expected.front(), 0});
  return found;
}

std::vector<DetectedLanguage> detect_source(const std::string& text, const ModelSet& models,
                                            const std::string& target) {
  const std::vector<std::string> all = models.sources(), likely = models.sources_of(target);
  if (likely.empty()) return detect_language(text, all);
  std::vector<std::string> among = likely;
  if (has(all, target) && !has(likely, target)) among.push_back(target);
  return detect_language(text, among, likely);
}

}  // namespace hexapla::serve
