#pragma once
#include <string>
#include <vector>

#include "data/curate/examination.h"

namespace hexapla::api {

struct DataOptions {
  std::vector<std::string> files;       // source and target text
  std::string tsv;                      // or one file with both
  std::vector<std::string> tests;       // test set: source and target, or one TSV
  std::vector<std::string> keep, drop;  // names of faults, as in ExamineOptions
  data::ExamineOptions how;             // other settings; text, tests, keep and drop come from the above
};

struct ExaminedData {
  data::Examination found;
  data::ExamineOptions how;

  std::string text(int columns) const;  // the report, for a terminal
  std::string json() const;
};

// Finds faults in parallel text. UsageError: only one file, or an unknown fault; otherwise as
// data::examine().
ExaminedData examine_data(const DataOptions& options, const data::Watch& watch);

}  // namespace hexapla::api
