#pragma once
#include <functional>
#include <optional>
#include <string>

#include "train/options/options.h"
#include "train/run/checkpoint.h"
#include "train/run/run_state.h"

namespace hexapla::train {

struct Resumed {
  LoadedCheckpoint checkpoint;
  RunState state;
  std::string identity, changeable;  // of the run now, in the form of the checkpoint
};

// The precision that auto meant when the run in the folder started: "f32" or "bf16"; "": there is no run.
std::string precision_of_run(const std::string& folder);

// Where the run goes on that the folder holds: from its newest checkpoint that is whole; none: it has none. Damaged
// ones of later updates are set aside, and best.safetensors is what it was then. What options changed goes into the
// state; where they change what a score means, its scores are forgotten. identity, changeable: of the run now
// (train/provenance/resume_fingerprint.h). note: takes warnings. UsageError: it is a run with other options; then
// nothing is changed.
std::optional<Resumed> resume_run(const TrainOptions& options, const std::string& identity,
                                  const std::string& changeable, const std::function<void(const std::string&)>& note);

}  // namespace hexapla::train
