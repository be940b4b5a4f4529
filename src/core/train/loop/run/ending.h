#pragma once
// The end of a run: selects the resulting weights and reports what could not be written.
#include <functional>
#include <string>
#include <vector>

#include "train/loop/run/final_model.h"
#include "train/record/watch/watcher.h"

namespace hexapla::train {

// A run after its last update. The model holds the last weights or, with `ema`, the moving average.
struct EndOfRun {
  Trained trained;
  model::Parameters& parameters;  // of trained.model
  const RunState& state;
  std::function<Validation()> validate;  // of the model's current weights
  std::function<void(const std::string&)> note;
  std::vector<std::string>& missing;  // output: descriptions of what could not be written
};

struct HandedOver {
  std::string path;                   // DIR/model.safetensors
  std::vector<Contender> contenders;  // the result comes first
};
// Writes DIR/model.safetensors (docs/adr/0014): the mean requested by `average-last` or
// `average-best`, or the best model, as `final-model` says; the last weights if there is neither.
// On a full disk, removes checkpoints older than the newest before giving up. RunError if no model
// can be written; a model from an earlier end is then renamed to earlier-model.safetensors, so that
// nobody mistakes it for the result.
HandedOver hand_over(EndOfRun& run);

}  // namespace hexapla::train
