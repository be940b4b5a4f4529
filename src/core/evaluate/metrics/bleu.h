#pragma once
// BLEU (Papineni et al. 2002) with sacreBLEU's (Post 2018) tokens, "exp" smoothing and numbers.
// Case-sensitive by default. With several references, the one nearest in length counts for the
// brevity penalty.
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "evaluate/metrics/metric.h"
#include "evaluate/tokenization/tokenizers.h"

namespace hexapla::evaluate {

struct BleuOptions {
  bool lowercase = false;        // sacreBLEU's -lc
  std::string tokenize = "13a";  // bleu_tokenizer()
};

struct BleuScore {
  double score = 0;                    // 0 .. 100
  std::array<double, 4> precisions{};  // 1- to 4-grams, percent, smoothed
  std::array<int64_t, 4> matches{}, totals{};
  double brevity_penalty = 0;
  int64_t hypothesis_length = 0, reference_length = 0;  // tokens
  std::string signature;  // "BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:hexapla-0.1.0"

  double ratio() const;         // hypothesis to reference length
  std::string details() const;  // "54.4/26.6/14.9/8.7 (BP = 1.000 ratio = 1.026 hyp_len = 628 ref_len = 612)"
  std::string text() const;     // "BLEU = 20.8 54.4/26.6/14.9/8.7 (BP = ..."
};

// Statistics: hypothesis length, reference length, matches and totals of 1- to 4-grams.
class Bleu : public Metric {
 public:
  explicit Bleu(const BleuOptions& options = {});
  std::string name() const override { return "BLEU"; }
  std::string settings() const override;
  MetricStatistics statistics(const std::string& hypothesis, std::span<const std::string> references) const override;
  double score(const MetricStatistics& sums) const override { return result(sums).score; }
  // Limited to the orders for which the sentence is long enough: sacreBLEU's effective order.
  double sentence_score(const MetricStatistics& s) const override;
  std::string details(const MetricStatistics& sums) const override { return result(sums).details(); }
  BleuScore result(const MetricStatistics& sums) const;

 private:
  std::vector<std::string> words(const std::string& line) const;
  BleuOptions options_;
  Tokenize tokenize_;
};

// DataError: no sentence, or different counts.
BleuScore corpus_bleu(std::span<const std::string> hypotheses, References references, const BleuOptions& options = {});
BleuScore corpus_bleu(std::span<const std::string> hypotheses, const Sentences& reference,
                      const BleuOptions& options = {});

}  // namespace hexapla::evaluate
