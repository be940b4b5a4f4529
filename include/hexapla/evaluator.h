#pragma once
// BLEU, chrF and TER, equal to sacreBLEU's.
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hexapla/error.h"
#include "hexapla/export.h"
#include "hexapla/owned.h"

namespace hexapla {

struct EvaluatorOptions {
  std::vector<std::string> metrics{"bleu", "chrf"};  // any of bleu, chrf, chrf++, ter
  std::string tokenize = "13a";  // BLEU: 13a, none, intl, char, zh, ja-mecab, ko-mecab; auto: by the references' script
  bool lowercase = false;        // BLEU
  bool chrf_lowercase = false;
  bool ter_case_sensitive = false, ter_normalized = false, ter_no_punct = false, ter_asian_support = false;
  int resamples = 0;  // bootstrap resamples for intervals and p-values, 2 to 1,000,000; 0: none
  std::uint64_t resample_seed = 12345;
  // Set to true to end a call with Canceled, before the next sentence or within some thousand
  // resamples. May be null.
  const std::atomic<bool>* stop = nullptr;
};

struct MetricScore {
  std::string metric;               // "BLEU", "chrF2"
  double score = 0;                 // of the corpus
  std::string signature;            // sacreBLEU's signature, for papers
  std::string details;              // components of the score: precisions, lengths
  double mean = 0, half_width = 0;  // over the resamples: 95 % are within mean +- half_width; 0 without resamples
  std::vector<double> sentences;    // score of each sentence
  std::vector<double> resamples;    // score of each resample
  bool higher_is_better = true;     // false: TER
};

struct Comparison {
  std::string metric;
  double baseline = 0, system = 0;
  double p_value = 1;  // paired bootstrap resampling, two-sided
};

class Evaluator {
 public:
  HEXAPLA_API explicit Evaluator(const EvaluatorOptions& options = {});  // UsageError
  HEXAPLA_API ~Evaluator();
  HEXAPLA_API Evaluator(Evaluator&&) noexcept;
  HEXAPLA_API Evaluator& operator=(Evaluator&&) noexcept;

  using Lines = std::vector<std::string>;  // detokenized text
  // references: one or several, each with one line per hypothesis; otherwise UsageError.
  HEXAPLA_API std::vector<MetricScore> score(const Lines& hypotheses, const std::vector<Lines>& references) const;
  // [metric][sentence]
  HEXAPLA_API std::vector<std::vector<double>> score_sentences(const Lines& hypotheses,
                                                               const std::vector<Lines>& references) const;
  // Uses the resamples of the options, or 1,000 if those are 0.
  HEXAPLA_API std::vector<Comparison> compare(const Lines& baseline, const Lines& system,
                                              const std::vector<Lines>& references) const;
  // The p-value of the difference of two systems by one metric, from their resamples. UsageError: they have none, or
  // not equally many.
  HEXAPLA_API static double p_value(const MetricScore& baseline, const MetricScore& system);
  // Several runs of one system, such as trainings with different seeds, as one: the means of their scores, and
  // resamples that draw runs as well as sentences, so that a p-value knows both chances. `details` has the standard
  // deviation. UsageError: no run, or runs of different metrics, sentences or resamples.
  HEXAPLA_API static MetricScore of_runs(const std::vector<MetricScore>& runs);
  // Notes for people, in words: which tokenizer `auto` chooses for these references, then whether the hypotheses, which
  // may be none, look tokenized or are too short for BLEU.
  HEXAPLA_API std::vector<std::string> notes(const Lines& hypotheses, const std::vector<Lines>& references) const;

 private:
  struct Impl;
  api::Owned<Impl> impl_;
};

}  // namespace hexapla
