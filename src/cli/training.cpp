#include "cli/training.h"

#include <fmt/format.h>

#include "backend/cpu/cpu.h"
#include "cli/run_report.h"
#include "train/watchers.h"

namespace hexapla::cli {

TrainResult run_training(const TrainOptions& options, ProgressWatcher& watcher) {
  const std::atomic<bool>& stop = stop_on_signals();
  const auto backend = make_cpu_backend(parse_precision(options.precision));
  watcher.progress().show("reading the training sets ...");
  const TrainingData data = prepare_data(options);
  if (options.vocab.empty() && data.vocabulary->size() < options.vocab_size)
    watcher.note(fmt::format("the text gives {} pieces, fewer than --vocab-size {}", data.vocabulary->size(),
                             options.vocab_size));
  watcher.remember(options.model);
  TensorBoardWatcher events(options.model, watcher);
  Watchers all({&watcher, &events});
  const TrainResult result = train(options, data, *backend, all, stop);
  try {
    write_report(options.model, static_cast<int>(options.threads));
  } catch (const UserError& e) {  // the model is there all the same
    watcher.note(std::string("no report.html was written: ") + e.what());
  }
  return result;
}

}  // namespace hexapla::cli
