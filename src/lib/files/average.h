#pragma once
#include <string>
#include <vector>

#include "model/weights/model_file.h"

namespace hexapla::api {

// Averages models into a model file. last, best: use the N last or best models
// (train/loop/run/run_models.h) of the given training folders; 0: average the models themselves. ->
// the files averaged. UsageError: a path that is no training folder, or an output that is one of
// the inputs (named by output_option). DataError as average_files().
struct AverageOptions {
  std::vector<std::string> models;
  std::string output, output_option = "`output`";
  int64_t last = 0, best = 0;
};
std::vector<std::string> average(const AverageOptions& options);

// A checkpoint itself; for a training folder, its model file.
std::string checkpoint_or_model(const std::string& path);

// Averages the models in files and checkpoints (train::is_checkpoint). DataError: one is quantized
// or damaged, or has another configuration or vocabulary than the first.
model::LoadedModel average_files(const std::vector<std::string>& files);

}  // namespace hexapla::api
