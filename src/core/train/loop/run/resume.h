#pragma once
#include <functional>
#include <optional>
#include <string>

#include "train/plan/options/options.h"
#include "train/record/checkpoint.h"
#include "train/record/run_state.h"

namespace hexapla::train {

struct Resumed {
  LoadedCheckpoint checkpoint;
  RunState state;
  std::string identity, changeable;  // of the current run, in the checkpoint's format
};

// Resumes the run in the folder from its newest intact checkpoint; none if it has none. Sets
// damaged checkpoints of later updates aside and restores best.safetensors to that state. Records
// changed options in the state; if they change the meaning of scores, forgets the scores. identity,
// changeable: of the current run (train/loop/run/resume_fingerprint.h). note: takes warnings.
// UsageError: the run has other options; then nothing is changed.
std::optional<Resumed> resume_run(const TrainOptions& options, const std::string& identity,
                                  const std::string& changeable, const std::function<void(const std::string&)>& note);

}  // namespace hexapla::train
