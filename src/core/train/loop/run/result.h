#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace hexapla::train {

// A step whose loss or gradient is not finite, or whose loss jumped: it is saved in DIR/failure.
// The type tells callers that try trainings (lab) that this start failed: the folder may be
// from an earlier one.
struct FailedStep : RunError {
  using RunError::RunError;
};

// Candidate weights for the result of a run.
struct Contender {
  std::string what;             // "mean of the last 5 checkpoints", "best single model (update 1200)"
  std::optional<double> score;  // on the validation set, by the metric that decides
  std::string metric{};         // that one: bleu, chrf, loss or script
};

enum class TrainEnd { finished, interrupted };
struct TrainResult {
  TrainEnd end;
  int64_t updates = 0, epochs = 0;
  std::optional<double> best_score;     // by the metric that decides
  std::string model;                    // DIR/model.safetensors; empty when interrupted
  size_t peak_bytes = 0;                // working memory used by training
  std::vector<Contender> contenders{};  // the chosen one comes first; empty when interrupted
  std::vector<std::string> missing{};   // short descriptions of what could not be written
};

// Call after showing the result. RunError if something is missing although there is a model; the
// message says what the model is, what is missing and what to do.
void require_whole(const TrainResult& result);

}  // namespace hexapla::train
