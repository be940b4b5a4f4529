#pragma once
// Trainings in the folders of a folder, to be watched: their logs as JSON. Reads alone.
#include <optional>
#include <string>

#include "base/json.h"

namespace hexapla::serve {

// {"runs": [{"name", "updates", "state"}]}, the one that wrote last first. state: "training" (a process holds the
// folder's lock), "finished" (there is a final model) or "stopped". RunError: the folder cannot be read.
nlohmann::ordered_json runs(const std::string& folder);

// {"name", "state", "train": [...], "valid": [...], "samples": [[source, reference, hypothesis]]}: the objects of
// train.jsonl, of more than 2,000 lines evenly spread ones and the last, which alone are read, those of valid.jsonl
// without their samples, likewise, and the last samples of these. Nothing: no folder of this name lies directly in that
// folder, or nothing was trained there.
std::optional<nlohmann::ordered_json> run(const std::string& folder, const std::string& name);

}  // namespace hexapla::serve
