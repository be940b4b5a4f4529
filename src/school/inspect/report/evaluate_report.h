#pragma once
// Output of hexapla evaluate: scores, comparisons, sentences; as text, or JSON with sacreBLEU's
// keys.
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "evaluate/metrics/bootstrap.h"
#include "evaluate/metrics/metric.h"

namespace hexapla::inspect {

struct System {
  std::string name;
  evaluate::Sentences lines;
};

// All texts have the same number of lines.
struct Evaluation {
  std::vector<System> systems;  // the first is the baseline
  std::vector<evaluate::Sentences> references;
  evaluate::Sentences source;  // empty: unknown
};

struct ReportOptions {
  bool json = false, sentence_level = false, confidence = false;
  int64_t worst = 0, best = 0;  // sentences to list
  evaluate::ResampleOptions resample;
};

void print_report(std::ostream& out, const Evaluation& evaluation,
                  const std::vector<std::unique_ptr<evaluate::Metric>>& metrics, const ReportOptions& options);

}  // namespace hexapla::inspect
