#pragma once
// Shared by all metrics: each sentence gives a few numbers (statistics), and their sums over a
// corpus determine its score. So resampling can score any choice of sentences without reading the
// text again.
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::evaluate {

using Sentences = std::vector<std::string>;     // detokenized text, one sentence per element
using MetricStatistics = std::vector<double>;   // counts (exact) and, for TER, mean lengths
using References = std::span<const Sentences>;  // one or several, each with a line per hypothesis

class Metric {
 public:
  virtual ~Metric() = default;
  virtual std::string name() const = 0;      // "chrF2++"
  virtual std::string settings() const = 0;  // "case:mixed|eff:yes|nc:6|nw:2|space:no"
  virtual bool higher_is_better() const { return true; }
  // `references`: of this sentence, at least one.
  virtual MetricStatistics statistics(const std::string& hypothesis, std::span<const std::string> references) const = 0;
  virtual double score(const MetricStatistics& sums) const = 0;  // 0 .. 100; TER may be above
  virtual double sentence_score(const MetricStatistics& s) const { return score(s); }
  virtual std::string details(const MetricStatistics&) const { return {}; }  // numbers that explain the score
};

// The statistics of every sentence, computed on several threads. DataError: no sentence, no
// reference, or a reference with a different number of lines.
std::vector<MetricStatistics> sentence_statistics(const Metric& metric, std::span<const std::string> hypotheses,
                                                  References references);
MetricStatistics sum(std::span<const MetricStatistics> sentences);  // in order
double corpus_score(const Metric& metric, std::span<const std::string> hypotheses, References references);

// "BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:hexapla-0.1.0". `resampling` is "bs:1000|seed:12345|" or "".
std::string signature(const Metric& metric, size_t references, const std::string& resampling = {});

}  // namespace hexapla::evaluate
