#pragma once
#include <string>
#include <vector>

#include "lab/experiment.h"

namespace hexapla::api {

struct LabOptions {
  std::string name, output = "lab", preset = "tiny";
  std::vector<std::string> train_sets, valid_sets;
  int64_t seeds = 0, updates = 0;
  double minutes = 0;
};

struct LabResult {
  std::vector<std::string> findings;
  std::string page;  // file of the report
};

// Runs an experiment and writes its report; its models stay in OUTPUT/runs/NAME. Errors as
// lab::run(); RunError: a folder cannot be created.
LabResult run_lab(const LabOptions& options, lab::Watcher& watcher);

// Name, question and duration of every experiment, one per line.
std::string list_experiments();

}  // namespace hexapla::api
