#pragma once
// chrF2 (Popović 2015, 2016): F-score with beta 2 of character 1- to 6-grams; chrF2++ (2017) adds
// word 1- and 2-grams. Numbers equal sacreBLEU's. With several references, the best one for each
// sentence counts.
#include <span>
#include <string>

#include "evaluate/metrics/metric.h"

namespace hexapla::evaluate {

struct ChrfOptions {
  size_t word_order = 0;  // 2: chrF++
  bool lowercase = false;
};

// Statistics for each order: n-grams of the hypothesis, of the reference, and common ones;
// characters before words.
class Chrf : public Metric {
 public:
  explicit Chrf(const ChrfOptions& options = {}) : options_(options) {}
  std::string name() const override { return "chrF2" + std::string(options_.word_order, '+'); }
  std::string settings() const override;
  MetricStatistics statistics(const std::string& hypothesis, std::span<const std::string> references) const override;
  double score(const MetricStatistics& sums) const override;

 private:
  ChrfOptions options_;
};

}  // namespace hexapla::evaluate
