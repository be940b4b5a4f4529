#pragma once
// The results in a run's folder as one self-contained HTML page.
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace hexapla::inspect {

struct RunRecord {
  std::string name;                                  // the folder's
  std::vector<nlohmann::json> reports, validations;  // the lines of train.jsonl and valid.jsonl
  std::map<std::string, std::string> history;        // the model's; empty if there is none yet
  nlohmann::ordered_json config;                     // the model's
  int64_t parameters = 0;                            // the model's; 0 if there is none yet
  std::string attention;                             // an <svg> of a sample, or empty
};

// Reads DIR; skips lines that are not JSON objects. Draws the cross-attention of model.safetensors
// or best.safetensors, if there is one, on the first sample of the last validation.
RunRecord read_run(const std::string& folder, int threads);

// The entries of a model's history; JSON objects and lists are flattened: "options lr", "data 0
// hash".
std::vector<std::pair<std::string, std::string>> history_rows(const std::map<std::string, std::string>& history);

// A complete document, for light and dark.
std::string draw_report(const RunRecord& run);

// Writes DIR/report.html. RunError: writing failed.
void write_report(const std::string& folder, int threads);

}  // namespace hexapla::inspect
