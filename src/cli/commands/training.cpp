#include "cli/commands/training.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "backend/cpu/cpu.h"
#include "report/run_report.h"
#include "train/memory/memory_budget.h"
#include "train/watch/watchers.h"

namespace hexapla::cli {
namespace {

struct Interrupted {};

// Shows how far the reading of the text is.
class Reading {
 public:
  Reading(Progress& progress, const std::atomic<bool>& stop) : progress_(progress), stop_(stop) {}
  void show(const char* what, int64_t pairs) {
    if (stop_) throw Interrupted();
    if (pairs <= shown_) began_ = Clock::now();  // another reading
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
  const std::atomic<bool>& stop_;
  Clock::time_point began_ = Clock::now();
  int64_t shown_ = 0;  // pairs
};

std::optional<train::TrainingData> read_data(const train::TrainOptions& options, Progress& progress,
                                             const std::atomic<bool>& stop) {
  progress.show("reading the training sets ...");
  Reading reading(progress, stop);
  try {
    return train::prepare_data(options, [&](const char* what, int64_t pairs) { reading.show(what, pairs); });
  } catch (const Interrupted&) {
    return {};
  }
}

}  // namespace

train::TrainResult run_training(const train::TrainOptions& asked, ProgressWatcher& watcher) {
  const train::TrainOptions options = train::with_decay_of_run(asked, watcher);
  const std::atomic<bool>& stop = stop_on_signals();
  const auto backend = make_cpu_backend(parse_precision(options.precision));
  const std::optional<train::TrainingData> data = read_data(options, watcher.progress(), stop);
  if (!data) return {train::TrainEnd::interrupted, 0, 0, {}, "", 0};
  const int32_t pieces = data->pairs.target.size();
  if (train::given_vocabulary(options).empty() && pieces < options.vocab_size)
    watcher.note(fmt::format("the text gives {}, fewer than --vocab-size {}", text::counted(pieces, "piece"),
                             options.vocab_size));
  watcher.set_folder(options.model);
  train::TensorBoardWatcher events(options.model, watcher);
  train::Watchers all({&watcher, &events});
  train::TrainResult result = train::train(options, *data, *backend, all, stop);
  try {
    report::write_report(options.model, static_cast<int>(options.threads));
  } catch (const UserError& e) {  // the model is there all the same
    watcher.note(std::string("no report.html was written: ") + e.what());
    result.missing.push_back("report.html");
  }
  if (events.failed()) result.missing.push_back("TensorBoard events");
  return result;
}

}  // namespace hexapla::cli
