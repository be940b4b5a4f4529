#pragma once
// TER (Snover et al. 2006): the edits (insert, delete, substitute a word, move a block of words)
// that turn a translation into the reference, in percent of the reference's words; lower is better.
// The search for moves follows Tercom's heuristics with sacreBLEU's limits, so the counts equal
// sacreBLEU's. With several references, the one with the fewest edits counts, relative to the mean
// length of all.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluate/metrics/metric.h"

namespace hexapla::evaluate {

struct TerOptions {
  bool normalized = false;     // split punctuation off words, resolve &quot; &amp; &lt; &gt;
  bool no_punct = false;       // drop . , ? : ; ! " ( )
  bool asian_support = false;  // extends both of the above to Chinese and Japanese text and punctuation
  bool case_sensitive = false;
};

std::vector<std::string> tokenize_ter(std::string_view line, const TerOptions& options);

// Statistics: edits, mean length of the references.
class Ter : public Metric {
 public:
  explicit Ter(const TerOptions& options = {}) : options_(options) {}
  std::string name() const override { return "TER"; }
  std::string settings() const override;
  bool higher_is_better() const override { return false; }
  MetricStatistics statistics(const std::string& hypothesis, std::span<const std::string> references) const override;
  double score(const MetricStatistics& sums) const override;

 private:
  TerOptions options_;
};

// The edits that turn one text into the other; words are numbers.
int64_t translation_edits(std::u32string_view hypothesis, std::u32string_view reference);

}  // namespace hexapla::evaluate
