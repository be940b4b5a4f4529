#pragma once
// What a run has left in its folder, as one HTML page that needs nothing from elsewhere.
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace hexapla::report {

struct RunRecord {
  std::string name;                                  // of the folder
  std::vector<nlohmann::json> reports, validations;  // the lines of train.jsonl and valid.jsonl
  std::map<std::string, std::string> history;        // of the model; empty while there is none
  nlohmann::ordered_json config;                     // of the model
  std::string attention;                             // an <svg> of a sample; may be empty
};

// Reads DIR; lines that are no JSON objects are left out. Of model.safetensors or best.safetensors, if there is one,
// the cross-attention on the first sample of the last validation is drawn.
RunRecord read_run(const std::string& folder, int threads);

// The entries of a model's history; those that are JSON objects or lists come apart: "options lr", "data 0 hash".
std::vector<std::pair<std::string, std::string>> history_rows(const std::map<std::string, std::string>& history);

// A whole document, for light and dark.
std::string draw_report(const RunRecord& run);

// DIR/report.html. RunError: it cannot be written.
void write_report(const std::string& folder, int threads);

}  // namespace hexapla::report
