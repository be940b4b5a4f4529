#pragma once
// The end of a run: which weights are its result, and what of it could not be written.
#include <functional>
#include <string>
#include <vector>

#include "train/outcome/final_model.h"
#include "train/watch/watcher.h"

namespace hexapla::train {

// A run that has made its last update. The model holds the weights of that: with `ema` the moving average.
struct EndOfRun {
  Trained trained;
  model::Parameters& parameters;  // of trained.model
  const RunState& state;
  std::function<Validation()> validate;  // the weights that the model holds when it is called
  std::function<void(const std::string&)> note;
  std::vector<std::string>& missing;  // takes what could not be written
};

struct HandedOver {
  std::string path;                   // DIR/model.safetensors
  std::vector<Contender> contenders;  // the one that it is first
};
// Writes DIR/model.safetensors (docs/adr/0014): the mean that `average-last` or `average-best` ask for, or the best
// model, whichever `final-model` says; the last weights where there is neither. Where the disk is full, checkpoints
// older than the newest go before the result does. RunError where no model can be written: one of an earlier end is
// called earlier-model.safetensors then, so that nobody takes it for the result.
HandedOver hand_over(EndOfRun& run);

}  // namespace hexapla::train
