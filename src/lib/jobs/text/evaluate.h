#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "base/options/given_option.h"
#include "hexapla/evaluator.h"
#include "hexapla/translator.h"
#include "inspect/report/evaluate_report.h"
#include "lib/jobs/watch.h"

namespace hexapla::api {

// Files have one sentence per line.
struct EvaluateJob {
  std::vector<std::string> files;    // hypotheses (with a model, the source), references
  std::vector<std::string> compare;  // hypotheses of other systems
  std::string source;                // shown with the best and worst sentences; "": none
  EvaluatorOptions metrics;          // all but its resamples
  inspect::ReportOptions report;
  std::vector<std::string> models;  // translate the source first, as an ensemble; none: the hypotheses are given
  ModelOptions how;
  std::vector<GivenOption> search;  // the given options
  std::string glossary;
};

// Writes scores to `out`. UsageError: options that exclude each other, or an unknown metric or
// tokenizer. DataError: files that differ in length, or without text.
void evaluate_files(const EvaluateJob& job, std::ostream& out, const JobWatch& watch);

}  // namespace hexapla::api
