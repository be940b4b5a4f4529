#pragma once
#include "cli/terminal/train_progress.h"

namespace hexapla::cli {

// Shared by `train` and `reproduce`: reads the data, trains, shows progress, and writes
// train.jsonl, TensorBoard's events and report.html to the folder. precision must be resolved
// ("f32", "bf16"). After showing the result, call require_whole() (train/loop/trainer.h) for what
// it reports missing. processes: see api::run_training().
train::TrainResult run_training(const train::TrainOptions& options, ProgressWatcher& watcher,
                                train::cluster::Processes& processes = train::cluster::alone());

}  // namespace hexapla::cli
