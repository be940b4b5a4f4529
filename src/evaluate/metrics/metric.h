#pragma once
// What all metrics share: a sentence gives a few numbers (statistics), their sums over a corpus give its score. So a
// score of any choice of sentences, as resampling needs it, costs no second look at the text.
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::evaluate {

using Sentences = std::vector<std::string>;     // detokenized text, one sentence an entry
using MetricStatistics = std::vector<double>;   // counts (exact) and, for TER, mean lengths
using References = std::span<const Sentences>;  // one or several, each with a line for every hypothesis

class Metric {
 public:
  virtual ~Metric() = default;
  virtual std::string name() const = 0;      // "chrF2++"
  virtual std::string settings() const = 0;  // "case:mixed|eff:yes|nc:6|nw:2|space:no"
  virtual bool higher_is_better() const { return true; }
  // `references` of this one sentence, at least one.
  virtual MetricStatistics statistics(const std::string& hypothesis, std::span<const std::string> references) const = 0;
  virtual double score(const MetricStatistics& sums) const = 0;  // 0 .. 100; TER may be above
  virtual double sentence_score(const MetricStatistics& s) const { return score(s); }
  virtual std::string details(const MetricStatistics&) const { return {}; }  // what stands behind the score
};

// The statistics of every sentence, computed on several threads.
// DataError: no sentence, no reference, or another number of lines in a reference.
std::vector<MetricStatistics> sentence_statistics(const Metric& metric, std::span<const std::string> hypotheses,
                                                  References references);
MetricStatistics sum(std::span<const MetricStatistics> sentences);  // added up in order
double corpus_score(const Metric& metric, std::span<const std::string> hypotheses, References references);

// "BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:hexapla-0.1.0". `resampling` is "bs:1000|seed:12345|" or "".
std::string signature(const Metric& metric, size_t references, const std::string& resampling = {});

}  // namespace hexapla::evaluate
