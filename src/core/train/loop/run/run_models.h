#pragma once
// Models in the folder of a run other than its result.
#include <cstdint>
#include <string>
#include <vector>

#include "model/weights/model_file.h"

namespace hexapla::train {

// Is this the folder of one checkpoint (DIR/checkpoints/update-00001200)?
bool is_checkpoint(const std::string& path);

// Loads the model from a checkpoint folder (with `ema` the moving average) and the vocabularies
// from the run folder. DataError: not a checkpoint, a damaged one, or one separated from its run.
model::LoadedModel load_checkpoint_model(const std::string& path);

// Folders of the newest checkpoints of a run, oldest first. DataError: there are fewer.
std::vector<std::string> last_models(const std::string& run, int64_t count);

// Best models among a run's checkpoints and DIR/best, oldest first, ranked by `best-by` in
// DIR/valid.jsonl. Skips updates without a validation. DataError: there are fewer.
std::vector<std::string> best_models(const std::string& run, int64_t count);

}  // namespace hexapla::train
