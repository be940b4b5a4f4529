#pragma once
// Which score decides between validated models with `best-by` auto (docs/adr/0103).
#include <span>
#include <string>

#include "evaluate/metrics/metric.h"
#include "train/record/watch/watcher.h"

namespace hexapla::train {

// A score is compared only where it can tell models apart: BLEU before chrF before the loss.
class Deciding {
 public:
  // tokenize: of BLEU, not auto. Computed from the references, before anything is translated.
  Deciding(std::span<const std::string> references, const std::string& tokenize);

  // The highest metric that any model may be compared by: bleu, chrf or loss.
  const std::string& metric() const { return metric_; }
  // "chrF decides which model is kept: 98 % of the references have fewer than four words, ...".
  const std::string& why() const { return why_; }
  // The metric that this model is compared by.
  std::string metric_of(const Validation& v) const;

 private:
  std::string metric_ = "loss", why_;
  double bleu_from_ = 0, chrf_from_ = 0;  // higher scores are beyond chance
};

// Sets BLEU and chrF, and how much evidence there is for them, from the statistics of all sentences.
void set_text_scores(Validation& v, const evaluate::MetricStatistics& bleu, const evaluate::MetricStatistics& chrf);

// Enough common n-grams of every order for their share not to be chance.
constexpr int64_t kEnoughMatches = 30;

}  // namespace hexapla::train
