#pragma once
// Shows training runs, the subfolders of a folder: their logs as JSON. Read-only.
#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"

namespace hexapla::serve {

// {"runs": [{"name", "updates", "state"}]}, most recently written first. state: "training" (a
// process holds the folder's lock), "finished" (there is a final model) or "stopped". RunError: the
// folder cannot be read.
nlohmann::ordered_json runs(const std::string& folder);

// {"name", "state", "train": [...], "valid": [...], "samples": [[source, reference, hypothesis]], "checkpoints":
// [update]}:
// the objects of train.jsonl; those of valid.jsonl without samples; and the last samples. If a log
// has more than 2,000 lines, only that many are read, evenly spaced and including the last. Nothing
// if the folder has no direct subfolder of this name, or nothing was trained there.
std::optional<nlohmann::ordered_json> run(const std::string& folder, const std::string& name);
// The folder of the checkpoint that a run has kept of an update. Nothing if there is none.
std::optional<std::string> checkpoint_of(const std::string& folder, const std::string& name, std::int64_t update);

}  // namespace hexapla::serve
