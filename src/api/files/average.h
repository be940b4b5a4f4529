#pragma once
#include <string>
#include <vector>

#include "model/weights/model_file.h"

namespace hexapla::api {

// Averages models into a model file. last, best: the models are training folders, and stand for their N last or best
// ones (train/loop/run/run_models.h); 0: not so. -> the files averaged. UsageError: no training folder, or an output
// that is one of the files (named by output_option). DataError as average_files().
struct AverageOptions {
  std::vector<std::string> models;
  std::string output, output_option = "`output`";
  int64_t last = 0, best = 0;
};
std::vector<std::string> average(const AverageOptions& options);

// A checkpoint stays one; of a training folder the model file.
std::string checkpoint_or_model(const std::string& path);

// Averages the models in files and checkpoints (train::is_checkpoint). DataError: one is quantized
// or damaged, or has another configuration or vocabulary than the first.
model::LoadedModel average_files(const std::vector<std::string>& files);

}  // namespace hexapla::api
