#pragma once
#include <string>

#include "train/loop/replay.h"

namespace hexapla::api {

struct Replayed {
  std::string reason, lines;  // why the step was saved; its lines in the training sets
  train::StepFindings found;
};
// Repeats the step at which a run failed. path: the run's folder, or its folder `failure`.
// precision: f32, bf16 or auto; "": that of the run. device: as for make_backend(). DataError as train::load_step().
Replayed replay(const std::string& path, const std::string& precision, const std::string& device);

}  // namespace hexapla::api
