#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hexapla::train {

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
