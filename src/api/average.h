#pragma once
#include <string>
#include <vector>

#include "model/weights/model_file.h"

namespace hexapla::api {

// Averages the models in files and checkpoints (train::is_checkpoint). DataError: one is quantized
// or damaged, or has another configuration or vocabulary than the first.
model::LoadedModel average_files(const std::vector<std::string>& files);

}  // namespace hexapla::api
