#include "evaluate/chrf.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <unordered_map>

#include "evaluate/counts.h"
#include "evaluate/unicode.h"

namespace hexapla {
namespace {

constexpr size_t kOrders = 6;
constexpr double kBeta = 2;

std::u32string without_spaces(std::string_view text) {
  std::u32string points = code_points(text);
  std::erase_if(points, is_space);
  return points;
}

using Counts = std::unordered_map<std::u32string_view, int64_t>;

Counts count_ngrams(std::u32string_view text, size_t n) {
  Counts counts;
  for (size_t i = 0; i + n <= text.size(); ++i) ++counts[text.substr(i, n)];
  return counts;
}

void add_sentence(ChrfScore& score, std::u32string_view hypothesis, std::u32string_view reference) {
  for (size_t n = 1; n <= kOrders; ++n) {
    const auto ngrams = [n](std::u32string_view text) {
      return text.size() >= n ? static_cast<int64_t>(text.size() - n + 1) : 0;
    };
    // As in sacreBLEU: a hypothesis is not blamed for n-grams longer than the whole reference.
    score.hypothesis_ngrams[n - 1] += ngrams(reference) > 0 ? ngrams(hypothesis) : 0;
    score.reference_ngrams[n - 1] += ngrams(reference);
    const Counts expected = count_ngrams(reference, n);
    for (const auto& [ngram, count] : count_ngrams(hypothesis, n)) {
      if (const auto found = expected.find(ngram); found != expected.end()) {
        score.matches[n - 1] += std::min(count, found->second);
      }
    }
  }
}

// F_beta of precision and recall, each the mean over the orders that both sides have.
double f_score(const ChrfScore& score) {
  double precision = 0, recall = 0;
  int orders = 0;
  for (size_t n = 0; n < kOrders; ++n) {
    if (score.hypothesis_ngrams[n] == 0 || score.reference_ngrams[n] == 0) continue;
    precision += static_cast<double>(score.matches[n]) / static_cast<double>(score.hypothesis_ngrams[n]);
    recall += static_cast<double>(score.matches[n]) / static_cast<double>(score.reference_ngrams[n]);
    ++orders;
  }
  if (orders == 0 || precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  constexpr double weight = kBeta * kBeta;
  return 100 * ((1 + weight) * precision * recall / (weight * precision + recall));
}

}  // namespace

ChrfScore corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::string> references) {
  check_sentence_counts("chrF2", hypotheses.size(), references.size());
  ChrfScore score;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    add_sentence(score, without_spaces(hypotheses[i]), without_spaces(references[i]));
  }
  score.score = f_score(score);
  score.signature = cat("chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:", metric_version());
  return score;
}

std::string ChrfScore::text() const {
  char line[64];
  std::snprintf(line, sizeof line, "chrF2 = %.1f", score);
  return line;
}

}  // namespace hexapla
