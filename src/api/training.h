#pragma once
#include <atomic>

#include "train/feed/training_data.h"
#include "train/loop/trainer.h"

namespace hexapla::api {

// Runs a whole training, for all interfaces: reads the data, trains, notifies `watcher`, and leaves
// train.jsonl, TensorBoard events and report.html in the folder. Ends once `stop` is true, while
// reading or training, like train::train(). After showing the result, call require_whole()
// (train/loop/run/result.h), which checks for missing files. Errors as prepare_data() and
// train::train(). processes: those that train together; the first one owns the folder and the
// watcher.
train::TrainResult run_training(const train::TrainOptions& options, train::TrainWatcher& watcher,
                                const data::ReadingProgress& reading, const std::atomic<bool>& stop,
                                const train::ProgramPairs& pairs = {},
                                train::cluster::Processes& processes = train::cluster::alone());

}  // namespace hexapla::api
