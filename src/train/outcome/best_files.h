#pragma once
// The best validated models of a run, as files. Each is DIR/best/update-<update>.safetensors, and DIR/best.safetensors
// is a second name of the best of them. A file goes only when no checkpoint names it any more, so whichever of them a
// run goes on from, its best models are there.
#include <cstdint>
#include <functional>
#include <string>

#include "train/run/run_state.h"

namespace hexapla::train {

// run: DIR. What writes expects the caller to hold its RunLock.

std::string best_model_path(const std::string& run, int64_t update);

// DIR/best.safetensors is the model of this update from now on: a second name of its file, where there can be one, else
// a copy. RunError, DataError.
void call_best(const std::string& run, int64_t update);

// Removes the files that neither this state nor one of the run's checkpoints names.
void prune_best(const std::string& run, const RunState& now);

// DIR/best.safetensors becomes what it was at this state. One of an update that the run has not made yet, of which the
// state knows no better one, is called earlier-best.safetensors: it may be all that is left of a run whose checkpoints
// are damaged. RunError.
void restore_best(const std::string& run, const RunState& state, const std::function<void(const std::string&)>& note);

}  // namespace hexapla::train
