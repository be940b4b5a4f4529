#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace hexapla::train {

// A step whose loss or gradient is no number, or whose loss jumped: it is in DIR/failure. Whoever tries trainings
// (tune, lab) tells it by its type from what the machine did: a folder may be of an earlier start.
struct FailedStep : RunError {
  using RunError::RunError;
};

// Weights that contend to be the result of a run.
struct Contender {
  std::string what;             // "mean of the last 5 checkpoints", "best single model (update 1200)"
  std::optional<double> score;  // on the validation set, by `best-by`
};

enum class TrainEnd { finished, interrupted };
struct TrainResult {
  TrainEnd end;
  int64_t updates = 0, epochs = 0;
  std::optional<double> best_score;     // by `best-by`
  std::string model;                    // DIR/model.safetensors; empty when interrupted
  size_t peak_bytes = 0;                // of working memory that training took
  std::vector<Contender> contenders{};  // the one that the model is first; empty when interrupted
  std::vector<std::string> missing{};   // what could not be written, each in a few words; empty: nothing is
};

// RunError where something is missing, though there is a model: it says what the model is, what is missing and what to
// do. For whoever has shown the result.
void require_whole(const TrainResult& result);

}  // namespace hexapla::train
