#include "lib/training/run_training.h"

#include <fmt/format.h>

#include <optional>

#include "backend/device/device.h"
#include "base/system/cancellation.h"
#include "inspect/report/run_report.h"
#include "text/quantities.h"
#include "train/automatic/check_text.h"
#include "train/automatic/choose.h"
#include "train/cluster/agreement.h"
#include "train/loop/trainer.h"
#include "train/measure/memory_budget.h"
#include "train/plan/device_check.h"
#include "train/plan/resolve/recipes.h"
#include "train/record/watch/watchers.h"

namespace hexapla::api {
namespace {

using Reading = data::ReadingProgress;

// With preset auto: the options that the first process chooses for the text, or with which the run began.
train::TrainOptions with_recipe(const train::TrainOptions& o, bool earlier, train::OpenedText& opened,
                                const Reading& progress, train::TrainWatcher& watcher,
                                train::cluster::Processes& processes) {
  if (o.preset != train::kAutomatic) return o;
  std::optional<train::Chosen> chosen;
  if (processes.first()) {
    if (earlier) {
      chosen = train::recipe_of_run(o);
    } else {
      const auto backend = make_backend(parse_precision(o.precision, o.device), o.device);
      chosen = train::choose_recipe(o, train::facts_of(opened.text, progress), *backend);
      train::keep_recipe(o, *chosen);
    }
    watcher.note(chosen->why);
  }
  return train::of_first(processes, o, chosen);
}

// The options are changed as with_recipe() does.
std::optional<train::TrainingData> read_data(train::TrainOptions& options, bool earlier, RunWatcher& watcher,
                                             const std::atomic<bool>& stop, const train::ProgramPairs& pairs,
                                             train::cluster::Processes& processes) {
  const Reading progress = [&](const char* what, int64_t n) {
    check_canceled();
    watcher.reading(what, n);
  };
  std::optional<train::TrainingData> data;
  unless_stopped(stop, [&] {
    check_canceled();
    train::OpenedText opened(options, pairs, processes);
    if (!earlier && processes.first() && options.check_text == "on")
      for (const std::string& note : train::check_text(options, check_canceled)) watcher.note(note);
    options = with_recipe(options, earlier, opened, progress, watcher, processes);
    data.emplace(train::prepare_data(opened, options, progress, pairs, processes));
  });
  return data;
}

// Resolves `precision` auto. A resumed run keeps the precision that auto chose when it started, on
// any machine and device.
train::TrainOptions with_precision(train::TrainOptions o, const std::optional<train::EarlierRun>& earlier,
                                   train::TrainWatcher& watcher, train::cluster::Processes& processes) {
  const std::string fastest = name_of(parse_precision(o.precision, o.device));
  if (o.precision != "auto") return o;
  const std::string was = train::cluster::of_first(processes, processes.first() && earlier ? earlier->precision() : "");
  o.precision = was.empty() ? fastest : was;
  if (o.precision == fastest) return o;
  if (o.precision == "bf16" && (o.device != "cpu" || !supported(Precision::bf16)))
    throw UsageError(cat("the run in ", o.model, " was started in bf16, which `precision` auto chose, but this ",
                         o.device == "cpu" ? "processor has no instructions for it (or HEXAPLA_ISA hides them): go on "
                                             "where there are some"
                                           : "`device` has none: go on without it",
                         ", or start in another `model` folder"),
                     "precision", "auto");
  watcher.note(
      cat("`precision` auto stays ", was, ", as when the run started; a new run would have ", fastest, " here"));
  return o;
}

void write_report(const train::TrainOptions& options, train::TrainWatcher& watcher, train::TrainResult& result) {
  const CancelScope of_stopped_ones_too(nullptr);
  try {
    inspect::write_report(options.model, static_cast<int>(options.threads));
  } catch (const UserError& e) {  // the model has been saved
    watcher.note(std::string("no report.html was written: ") + e.what());
    result.missing.push_back("report.html");
  }
}

}  // namespace

train::TrainResult run_training(const train::TrainOptions& asked, RunWatcher& watcher, const std::atomic<bool>& stop,
                                const train::ProgramPairs& pairs, train::cluster::Processes& processes) {
  const CancelScope scope(&stop);
  train::check_device(*make_backend(Precision::f32, asked.device), asked);
  if (processes.first()) watcher.begins(asked.model);
  const std::optional<train::EarlierRun> earlier = train::EarlierRun::in(asked.model);
  train::TrainOptions options = with_precision(asked, earlier, watcher, processes);
  const std::optional<train::TrainingData> data =
      read_data(options, earlier.has_value(), watcher, stop, pairs, processes);
  if (!data && processes.several()) throw RunError("stopped while the text was read: nothing is trained yet");
  if (!data) return {train::TrainEnd::interrupted, 0, 0, {}, "", 0};
  options = train::with_decay_of_run(options, earlier, watcher);
  const auto backend = make_backend(parse_precision(options.precision, options.device), options.device);
  const int32_t pieces = data->pairs.target.size();
  if (train::given_vocabulary(options).empty() && pieces < options.vocab_size && asked.preset != train::kAutomatic)
    watcher.note(fmt::format("the text gives {}, fewer than `vocab-size` {}", text::counted(pieces, "piece"),
                             options.vocab_size));
  if (!processes.first()) return train::train(options, *data, *backend, watcher, stop);
  train::TensorBoardWatcher events(options.model, watcher);
  train::Watchers all({&watcher, &events});
  train::TrainResult result = train::train(options, *data, *backend, all, stop);
  write_report(options, watcher, result);
  if (events.failed()) result.missing.push_back("TensorBoard events");
  return result;
}

}  // namespace hexapla::api
