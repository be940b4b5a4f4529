#pragma once
#include <atomic>

#include "train/feed/training_data.h"
#include "train/loop/trainer.h"

namespace hexapla::api {

// A whole training, as every door has it: reads the data, trains, tells `watcher` of it all, and leaves train.jsonl,
// TensorBoard's events and report.html in the folder. Once `stop` is true it ends, reading or training, as
// train::train() does. Of what the result says to be missing: require_whole() (train/loop/run/result.h), once it is
// shown. Errors as prepare_data() and train::train(). processes: who train together; the first of them has the folder
// and the watcher.
train::TrainResult run_training(const train::TrainOptions& options, train::TrainWatcher& watcher,
                                const data::ReadingProgress& reading, const std::atomic<bool>& stop,
                                const train::ProgramPairs& pairs = {},
                                cluster::Processes& processes = cluster::alone());

}  // namespace hexapla::api
