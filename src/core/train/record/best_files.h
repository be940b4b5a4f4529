#pragma once
// Files of a run's best validated models: DIR/best/update-<update>.safetensors each, with
// DIR/best.safetensors as a second name of the best one. A file is removed only when no checkpoint
// names it any more, so a run can resume from any checkpoint and find its best models.
#include <cstdint>
#include <functional>
#include <string>

#include "train/record/run_state.h"

namespace hexapla::train {

// run: DIR. Functions that write expect the caller to hold its RunLock.

std::string best_model_path(const std::string& run, int64_t update);

// Makes DIR/best.safetensors the model of this update: a hard link if possible, else a copy.
// RunError, DataError.
void call_best(const std::string& run, int64_t update);

// Removes files that neither this state nor any checkpoint of the run names.
void prune_best(const std::string& run, const RunState& now);

// Restores DIR/best.safetensors to this state. If it is from an update that the run has not
// reached, and the state knows no better model, renames it to earlier-best.safetensors: it may be
// all that is left of a run whose checkpoints are damaged. RunError.
void restore_best(const std::string& run, const RunState& state, const std::function<void(const std::string&)>& note);

}  // namespace hexapla::train
