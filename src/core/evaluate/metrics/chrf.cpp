#include "evaluate/metrics/chrf.h"

#include <string_view>

#include "base/error.h"
#include "evaluate/metrics/ngrams.h"
#include "evaluate/tokenization/unicode.h"

namespace hexapla::evaluate {
namespace {

constexpr size_t kCharacterOrder = 6;
constexpr double kBeta = 2;

std::u32string without_spaces(std::string_view text) {
  std::u32string points = code_points(text);
  std::erase_if(points, is_space);
  return points;
}

bool ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

// Splits one punctuation mark off a word's end or otherwise its beginning: "(hi)" is "(hi" and ")".
std::vector<std::string> words_and_punctuation(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string& word : split(text)) {
    if (word.size() > 1 && ascii_punctuation(word.back())) {
      out.push_back(word.substr(0, word.size() - 1));
      out.push_back(word.substr(word.size() - 1));
    } else if (word.size() > 1 && ascii_punctuation(word.front())) {
      out.push_back(word.substr(0, 1));
      out.push_back(word.substr(1));
    } else {
      out.push_back(word);
    }
  }
  return out;
}

// Three statistics for the n-grams of one order. As in sacreBLEU, a hypothesis is not penalized for
// n-grams longer than the whole reference.
void add_order(MetricStatistics& out, std::u32string_view hypothesis, std::u32string_view reference, size_t n) {
  const int64_t expected = ngrams_in(reference, n);
  out.push_back(static_cast<double>(expected > 0 ? ngrams_in(hypothesis, n) : 0));
  out.push_back(static_cast<double>(expected));
  out.push_back(static_cast<double>(common_ngrams(count_ngrams(hypothesis, n), count_ngrams(reference, n))));
}

// F_beta of precision and recall, each averaged over the orders that both sides have.
double f_score(const MetricStatistics& s) {
  double precision = 0, recall = 0;
  int orders = 0;
  for (size_t i = 0; i + 3 <= s.size(); i += 3) {
    if (s[i] == 0 || s[i + 1] == 0) continue;
    precision += s[i + 2] / s[i];
    recall += s[i + 2] / s[i + 1];
    ++orders;
  }
  if (orders == 0 || precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  constexpr double weight = kBeta * kBeta;
  return 100 * ((1 + weight) * precision * recall / (weight * precision + recall));
}

}  // namespace

std::string Chrf::settings() const {
  return cat("case:", options_.lowercase ? "lc" : "mixed", "|eff:yes|nc:", kCharacterOrder, "|nw:", options_.word_order,
             "|space:no");
}

MetricStatistics Chrf::statistics(const std::string& hypothesis, std::span<const std::string> references) const {
  WordNumbers numbers;
  const auto characters_of = [&](const std::string& line) {
    return without_spaces(options_.lowercase ? lower(line) : line);
  };
  const auto words_of = [&](const std::string& line) {
    if (options_.word_order == 0) return std::u32string();
    return numbers(words_and_punctuation(options_.lowercase ? lower(line) : line));
  };
  const std::u32string characters = characters_of(hypothesis), words = words_of(hypothesis);
  MetricStatistics best;
  for (const std::string& line : references) {
    const std::u32string other_characters = characters_of(line), other_words = words_of(line);
    MetricStatistics own;
    for (size_t n = 1; n <= kCharacterOrder; ++n) add_order(own, characters, other_characters, n);
    for (size_t n = 1; n <= options_.word_order; ++n) add_order(own, words, other_words, n);
    if (best.empty() || f_score(own) > f_score(best)) best = own;
  }
  return best;
}

double Chrf::score(const MetricStatistics& sums) const { return f_score(sums); }

}  // namespace hexapla::evaluate
