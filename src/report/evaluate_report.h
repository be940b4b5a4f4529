#pragma once
// What hexapla evaluate prints: scores, comparisons, sentences; as text or as JSON with sacreBLEU's keys.
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "evaluate/metrics/bootstrap.h"
#include "evaluate/metrics/metric.h"

namespace hexapla {

struct System {
  std::string name;
  Sentences lines;
};

// Everything has the same number of lines.
struct Evaluation {
  std::vector<System> systems;  // the first is the baseline of the others
  std::vector<Sentences> references;
  Sentences source;  // empty: not known
};

struct ReportOptions {
  bool json = false, sentence_level = false, confidence = false;
  int64_t worst = 0, best = 0;  // sentences to list
  ResampleOptions resample;
};

void print_report(std::ostream& out, const Evaluation& evaluation, const std::vector<std::unique_ptr<Metric>>& metrics,
                  const ReportOptions& options);

}  // namespace hexapla
