#pragma once
#include <atomic>
#include <functional>

#include "train/feed/training_data.h"
#include "train/loop/trainer.h"

namespace hexapla::api {

// Watches a whole training, including what precedes the updates.
class RunWatcher : public train::TrainWatcher {
 public:
  virtual void begins(const std::string& /*folder*/) {}  // before anything is read; only in the first process
  virtual void reading(const char* /*what*/, int64_t /*pairs*/) {}
};

// Called when the training begins: from then on, a signal handler may set the flag.
using Stop = std::function<const std::atomic<bool>&()>;

// Runs a whole training, for all interfaces: reads the data, trains, notifies `watcher`, and leaves
// train.jsonl, TensorBoard events and report.html in the folder. Ends once `stop` is true, while
// reading or training, like train::train(). After showing the result, call require_whole()
// (train/loop/run/result.h), which checks for missing files. Errors as prepare_data() and
// train::train(). processes: those that train together; the first one owns the folder and the
// watcher.
train::TrainResult run_training(const train::TrainOptions& options, RunWatcher& watcher, const std::atomic<bool>& stop,
                                const train::ProgramPairs& pairs = {},
                                train::cluster::Processes& processes = train::cluster::alone());

}  // namespace hexapla::api
