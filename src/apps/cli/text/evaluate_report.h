#pragma once
// The output of `hexapla evaluate`: scores, comparisons, sentences; as text, or JSON with sacreBLEU's keys.
#include <iosfwd>
#include <string>
#include <vector>

#include "hexapla/evaluator.h"

namespace hexapla::cli {

struct System {
  std::string name;
  std::vector<Evaluator::Lines> runs;  // of several, one for each seed
  const Evaluator::Lines& lines() const { return runs.front(); }
};

// All texts have the same number of lines.
struct Evaluation {
  std::vector<System> systems;  // the first is the baseline
  std::vector<Evaluator::Lines> references;
  Evaluator::Lines source;  // empty: unknown
};

struct ReportOptions {
  bool json = false, sentence_level = false, confidence = false;
  int64_t worst = 0, best = 0;  // sentences to list
};

// scores: of each system, by each metric; of several systems with resamples.
void print_report(std::ostream& out, const Evaluation& evaluation, const std::vector<std::vector<MetricScore>>& scores,
                  const ReportOptions& options);

}  // namespace hexapla::cli
