#pragma once
#include "cli/terminal/train_progress.h"

namespace hexapla::cli {

// Shared by `train` and `reproduce`: reads the data, trains, shows it all, and leaves train.jsonl, TensorBoard's
// events and report.html in the folder. precision must be resolved ("f32", "bf16"). Of what the result says to be
// missing: require_whole() (train/loop/trainer.h), once it is shown. processes: see api::run_training().
train::TrainResult run_training(const train::TrainOptions& options, ProgressWatcher& watcher,
                                cluster::Processes& processes = cluster::alone());

}  // namespace hexapla::cli
