#include "train/measure/deciding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evaluate/metrics/bleu.h"
#include "evaluate/metrics/chrf.h"

namespace hexapla::train {
namespace {

constexpr size_t kOrder = 4;             // of BLEU
constexpr double kMostShort = 0.25;      // share of references that BLEU cannot compare
constexpr double kBeyondChance = 0.05;   // of the way from chance to 100
constexpr double kOtherLine = 0.381966;  // of the lines: far from each line, but not half of a list of two parts

// The score that translations of other lines get, which have nothing to do with their sources.
double chance(const evaluate::Metric& metric, std::span<const std::string> references) {
  std::vector<std::string> others(references.begin(), references.end());
  const auto by = static_cast<std::ptrdiff_t>(std::ceil(kOtherLine * static_cast<double>(others.size())));
  std::rotate(others.begin(), others.begin() + by, others.end());
  const evaluate::Sentences own(references.begin(), references.end());
  return evaluate::corpus_score(metric, others, {&own, 1});
}

// Common n-grams of the order that has the fewest, among those of which the references have many. A test of the
// evidence: statistics are triples, the second number is of the reference.
int64_t fewest_matches_of_chrf(const evaluate::MetricStatistics& s) {
  constexpr double many = 150;
  std::optional<double> fewest;
  for (size_t i = 0; i + 2 < s.size(); i += 3)
    if (s[i + 1] >= many) fewest = std::min(fewest.value_or(s[i + 2]), s[i + 2]);
  return int64_t(fewest.value_or(0));
}

double beyond_chance(double chance) { return chance + kBeyondChance * (100 - chance); }

}  // namespace

Deciding::Deciding(std::span<const std::string> references, const std::string& tokenize) {
  if (references.empty()) return;
  const evaluate::Bleu bleu({.tokenize = tokenize});
  const evaluate::Chrf chrf;
  chrf_from_ = beyond_chance(chance(chrf, references));
  bleu_from_ = beyond_chance(chance(bleu, references));
  const auto is_short = [&](const std::string& line) {
    return bleu.result(bleu.statistics(line, {&line, 1})).totals[kOrder - 1] == 0;
  };
  const auto short_ones = std::count_if(references.begin(), references.end(), is_short);
  const double share = static_cast<double>(short_ones) / static_cast<double>(references.size());
  metric_ = share > kMostShort ? "chrf" : "bleu";
  if (metric_ == "chrf")
    why_ = fmt::format(
        "chrF decides which model is best: {:.0f} % of the references have fewer than four words ({}), which BLEU "
        "cannot "
        "compare (`best-by` auto)",
        std::ceil(100 * share), tokenize);
  if (references.size() < 2 || chrf_from_ >= 100) {
    metric_ = "loss";
    why_ =
        "the loss decides which model is best: the references are too few or too equal for BLEU and chrF "
        "(`best-by` auto)";
  }
}

void set_text_scores(Validation& v, const evaluate::MetricStatistics& bleu, const evaluate::MetricStatistics& chrf) {
  const evaluate::BleuScore score = evaluate::Bleu().result(bleu);
  v.bleu = score.score;
  v.bleu_matches = std::ranges::min(score.matches);
  v.chrf = evaluate::Chrf().score(chrf);
  v.chrf_matches = fewest_matches_of_chrf(chrf);
}

std::string Deciding::metric_of(const Validation& v) const {
  if (metric_ == "bleu" && v.bleu_matches >= kEnoughMatches && v.bleu > bleu_from_) return "bleu";
  if (metric_ != "loss" && v.chrf_matches >= kEnoughMatches && v.chrf > chrf_from_) return "chrf";
  return "loss";
}

}  // namespace hexapla::train
