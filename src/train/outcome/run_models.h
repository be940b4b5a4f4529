#pragma once
// The models that lie in the folder of a run, beside its result.
#include <cstdint>
#include <string>
#include <vector>

#include "model/weights/model_file.h"

namespace hexapla::train {

// Is this the folder of one checkpoint (DIR/checkpoints/update-00001200)?
bool is_checkpoint(const std::string& path);

// The model in the folder of a checkpoint: with `ema` the moving average. Its vocabulary is that of the run's folder.
// DataError: no checkpoint, a damaged one, or one without the run that it belongs to.
model::LoadedModel load_checkpoint_model(const std::string& path);

// The newest checkpoints of a run, oldest first, as folders. DataError: it holds fewer.
std::vector<std::string> last_models(const std::string& run, int64_t count);

// The best of its checkpoints and of the models in DIR/best, oldest first: by `best-by`, as DIR/valid.jsonl has them.
// Those of updates without a validation are not among them. DataError: it holds fewer.
std::vector<std::string> best_models(const std::string& run, int64_t count);

}  // namespace hexapla::train
