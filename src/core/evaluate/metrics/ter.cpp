#include "evaluate/metrics/ter.h"

#include <algorithm>

#include "base/error.h"
#include "evaluate/metrics/ngrams.h"
#include "evaluate/tokenization/rewrite.h"
#include "evaluate/tokenization/unicode.h"

namespace hexapla::evaluate {
namespace {

// Pairs of first and last: Chinese characters, strokes, radicals, compatibility forms, enclosed
// letters.
constexpr std::u32string_view kIdeographs =
    U"\u2e80\u2eff\u31c0\u31ef\u3200\u3f22\u3400\u4dbf\u4e00\u9fff\uf900\ufaff\ufe30\ufe4f";
constexpr std::u32string_view kAsianPunctuation =
    U"\u3001\u3002\u3008\u3011\u3014\u301f\u30fb\u30fb\uff01\uff02\uff08\uff09\uff0c\uff0c\uff0e\uff0e\uff1a\uff1b"
    U"\uff1f\uff1f\uff61\uff65";

std::string normalized(std::string_view line) {
  const std::string text = cat(" ", without_entities(replaced(replaced(line, "\n-", ""), "\n", " ")), " ");
  return points_and_dashes_apart(replaced(ascii_punctuation_apart(text), "'s ", " 's "));
}

// Tercom's rules for runs of kana are omitted: they apply to lines of only kana, but after the
// previous step every line begins with a blank.
std::string characters_apart(const std::string& line) {
  return to_utf8(apart(code_points(line),
                       [](char32_t c) { return in_ranges(kIdeographs, c) || in_ranges(kAsianPunctuation, c); }));
}

std::string without_punctuation(std::string_view line, bool asian) {
  std::u32string points = code_points(line);
  std::erase_if(points, [asian](char32_t c) {
    return std::u32string_view(U".,?:;!\"()").find(c) != std::u32string_view::npos ||
           (asian && in_ranges(kAsianPunctuation, c));
  });
  return to_utf8(points);
}

// sacreBLEU tokenizes references, but not hypotheses, twice. This matters with `normalized`: "a.,5"
// becomes "a . ,5" the first time and "a . , 5" the second.
std::vector<std::string> reference_words(const std::string& line, const TerOptions& options) {
  std::string once;
  for (const std::string& word : tokenize_ter(line, options)) once += word + " ";
  return tokenize_ter(once, options);
}

const char* yes(bool value) { return value ? "yes" : "no"; }

}  // namespace

std::vector<std::string> tokenize_ter(std::string_view line, const TerOptions& options) {
  std::string text = options.case_sensitive ? std::string(line) : lower(line);
  if (options.normalized) text = normalized(text);
  if (options.normalized && options.asian_support) text = characters_apart(text);
  if (options.no_punct) text = without_punctuation(text, options.asian_support);
  return split(text);
}

std::string Ter::settings() const {
  return cat("case:", options_.case_sensitive ? "mixed" : "lc", "|tok:tercom|norm:", yes(options_.normalized),
             "|punct:", yes(!options_.no_punct), "|asian:", yes(options_.asian_support));
}

MetricStatistics Ter::statistics(const std::string& hypothesis, std::span<const std::string> references) const {
  WordNumbers numbers;
  const std::u32string text = numbers(tokenize_ter(hypothesis, options_));
  int64_t fewest = INT64_MAX;
  size_t length = 0;
  for (const std::string& line : references) {
    const std::u32string reference = numbers(reference_words(line, options_));
    fewest = std::min(fewest, translation_edits(text, reference));
    length += reference.size();
  }
  return {static_cast<double>(fewest), static_cast<double>(length) / static_cast<double>(references.size())};
}

double Ter::score(const MetricStatistics& sums) const {
  if (sums[1] > 0) return 100 * (sums[0] / sums[1]);
  return sums[0] > 0 ? 100 : 0;
}

}  // namespace hexapla::evaluate
