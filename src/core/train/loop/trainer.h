#pragma once
// The training loop: batches, updates, validation, checkpoints, resuming. Prints nothing; it
// reports to a TrainWatcher.
#include <atomic>

#include "model/transformer.h"
#include "train/feed/training_data.h"
#include "train/loop/run/result.h"
#include "train/record/watch/watcher.h"

namespace hexapla::train {

// Trains until a limit of the options or until `stop` becomes true (then it saves a checkpoint and
// returns). If the folder holds checkpoints, resumes from the newest valid one, to the same bits as
// an uninterrupted run. Failures to write do not end a run (TrainResult::missing); RunError if not
// even a model can be written. UserError: options, data, files; FailedStep with update and lines if
// the loss is not a number.
TrainResult train(const TrainOptions& options, const TrainingData& data, Backend& backend, TrainWatcher& watcher,
                  const std::atomic<bool>& stop);

}  // namespace hexapla::train
