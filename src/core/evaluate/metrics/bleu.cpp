#include "evaluate/metrics/bleu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "evaluate/metrics/ngrams.h"
#include "evaluate/tokenization/unicode.h"

namespace hexapla::evaluate {
namespace {

constexpr size_t kOrders = 4;
enum Slot : size_t {
  kHypothesisLength,
  kReferenceLength,
  kMatches,
  kTotals = kMatches + kOrders,
  kSlots = kTotals + kOrders
};

// For every n-gram, the largest count in any reference.
NgramCounts count_in_any(std::span<const std::u32string> references, size_t n) {
  NgramCounts all = count_ngrams(references[0], n);
  for (const std::u32string& reference : references.subspan(1)) {
    for (const auto& [ngram, count] : count_ngrams(reference, n)) all[ngram] = std::max(all[ngram], count);
  }
  return all;
}

// The nearest length, or the shorter of two equally near ones.
size_t nearest_length(size_t length, std::span<const std::u32string> references) {
  const auto distance = [&](size_t other) { return other > length ? other - length : length - other; };
  size_t best = references[0].size();
  for (const std::u32string& reference : references) {
    const size_t own = reference.size();
    if (std::pair(distance(own), own) < std::pair(distance(best), best)) best = own;
  }
  return best;
}

double brevity_penalty(int64_t hypothesis, int64_t reference) {
  if (hypothesis >= reference) return 1;
  return hypothesis > 0 ? std::exp(1 - static_cast<double>(reference) / static_cast<double>(hypothesis)) : 0;
}

// Each further order without a match counts half as much of a match as the one before ("exp",
// method 3 of Chen and Cherry 2014). Returns the number of orders: those for which a hypothesis is
// long enough.
size_t set_precisions(BleuScore& score) {
  double halvings = 1;
  size_t n = 0;
  for (; n < kOrders && score.totals[n] > 0; ++n) {
    const auto total = static_cast<double>(score.totals[n]);
    if (score.matches[n] == 0) halvings *= 2;
    score.precisions[n] =
        score.matches[n] == 0 ? 100. / (halvings * total) : 100. * static_cast<double>(score.matches[n]) / total;
  }
  return n;
}

// The geometric mean of the first orders' precisions; practically 0 if one of them is 0.
double mean_precision(const BleuScore& score, size_t orders) {
  double logs = 0;
  for (size_t n = 0; n < orders; ++n) logs += score.precisions[n] == 0 ? -9999999999. : std::log(score.precisions[n]);
  return std::exp(logs / static_cast<double>(orders));
}

BleuScore result_of(const MetricStatistics& sums, bool effective_order) {
  BleuScore score;
  score.hypothesis_length = static_cast<int64_t>(sums[kHypothesisLength]);
  score.reference_length = static_cast<int64_t>(sums[kReferenceLength]);
  for (size_t n = 0; n < kOrders; ++n) {
    score.matches[n] = static_cast<int64_t>(sums[kMatches + n]);
    score.totals[n] = static_cast<int64_t>(sums[kTotals + n]);
  }
  score.brevity_penalty = brevity_penalty(score.hypothesis_length, score.reference_length);
  if (std::all_of(score.matches.begin(), score.matches.end(), [](int64_t n) { return n == 0; })) return score;
  const size_t orders = set_precisions(score);
  score.score = score.brevity_penalty * mean_precision(score, effective_order ? orders : kOrders);
  return score;
}

}  // namespace

Bleu::Bleu(const BleuOptions& options) : options_(options), tokenize_(bleu_tokenizer(options.tokenize)) {}

std::string Bleu::settings() const {
  return cat("case:", options_.lowercase ? "lc" : "mixed", "|eff:no|tok:", signature_of_tokenizer(options_.tokenize),
             "|smooth:exp");
}

std::vector<std::string> Bleu::words(const std::string& line) const {
  return tokenize_(options_.lowercase ? lower(line) : line);
}

MetricStatistics Bleu::statistics(const std::string& hypothesis, std::span<const std::string> references) const {
  WordNumbers numbers;
  const std::u32string text = numbers(words(hypothesis));
  std::vector<std::u32string> others;
  for (const std::string& reference : references) others.push_back(numbers(words(reference)));
  MetricStatistics out(kSlots);
  out[kHypothesisLength] = static_cast<double>(text.size());
  out[kReferenceLength] = static_cast<double>(nearest_length(text.size(), others));
  for (size_t n = 0; n < kOrders; ++n) {
    out[kMatches + n] = static_cast<double>(common_ngrams(count_ngrams(text, n + 1), count_in_any(others, n + 1)));
    out[kTotals + n] = static_cast<double>(ngrams_in(text, n + 1));
  }
  return out;
}

double Bleu::sentence_score(const MetricStatistics& s) const { return result_of(s, true).score; }
BleuScore Bleu::result(const MetricStatistics& sums) const { return result_of(sums, false); }

BleuScore corpus_bleu(std::span<const std::string> hypotheses, References references, const BleuOptions& options) {
  const Bleu bleu(options);
  BleuScore score = bleu.result(sum(sentence_statistics(bleu, hypotheses, references)));
  score.signature = signature(bleu, references.size());
  return score;
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses, const Sentences& reference, const BleuOptions& options) {
  return corpus_bleu(hypotheses, References(&reference, 1), options);
}

double BleuScore::ratio() const {
  return reference_length > 0 ? static_cast<double>(hypothesis_length) / static_cast<double>(reference_length) : 0;
}

std::string BleuScore::details() const {
  return fmt::format("{:.1f}/{:.1f}/{:.1f}/{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})",
                     precisions[0], precisions[1], precisions[2], precisions[3], brevity_penalty, ratio(),
                     hypothesis_length, reference_length);
}

std::string BleuScore::text() const { return fmt::format("BLEU = {:.1f} {}", score, details()); }

}  // namespace hexapla::evaluate
