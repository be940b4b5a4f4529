#include "cli/commands/training/training.h"

#include <fmt/format.h>

#include <chrono>

#include "api/training.h"

namespace hexapla::cli {
namespace {

// Shows the progress of reading the text.
class Reading {
 public:
  explicit Reading(Progress& progress) : progress_(progress) {}
  void show(const char* what, int64_t pairs) {
    if (pairs <= shown_) began_ = Clock::now();  // reading starts again
    shown_ = pairs;
    const double seconds = std::max(std::chrono::duration<double>(Clock::now() - began_).count(), 1e-3);
    progress_.show(pairs == 0
                       ? fmt::format("{} ...", what)
                       : fmt::format("{} the training sets: {}, {} per second", what, text::counted(pairs, "pair"),
                                     text::grouped(static_cast<long long>(double(pairs) / seconds))));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Progress& progress_;
  Clock::time_point began_ = Clock::now();
  int64_t shown_ = 0;  // pairs
};

}  // namespace

train::TrainResult run_training(const train::TrainOptions& options, ProgressWatcher& watcher,
                                train::cluster::Processes& processes) {
  const std::atomic<bool>& stop = stop_on_signals();
  watcher.progress().show("reading the training sets ...");
  if (processes.first()) watcher.set_folder(options.model);
  Reading reading(watcher.progress());
  return api::run_training(
      options, watcher, [&](const char* what, int64_t pairs) { reading.show(what, pairs); }, stop, {}, processes);
}

}  // namespace hexapla::cli
