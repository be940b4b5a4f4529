#pragma once
// A single training of a tuning, and its measurements.
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "data/files/corpus.h"
#include "lib/tune/record.h"
#include "train/record/watch/watcher.h"

namespace hexapla::train::tune {

// Options of the full training for a candidate, in this folder. Errors as train::resolve_options().
train::TrainOptions full_training(std::vector<GivenOption> given, const Candidate& candidate,
                                  const std::string& folder);

// The short training that is measured instead: an eighth of the batch size, for enough updates,
// with 0.4 times the learning rate and a tenth of the warm-up; decay by 1 / sqrt(update), which
// needs no end; a moving average of the weights instead of a mean of checkpoints. It never uses
// more tokens than the full one.
train::TrainOptions short_training(train::TrainOptions full);

// The short training, limited to the number of updates of the rung's first trial, regardless of the
// machine's load; the first trial itself (null) is limited only by its own options and by being
// stopped. None has a time limit, which would change its learning rate schedule.
train::TrainOptions until(train::TrainOptions brief, const Measurement* first);

struct Measuring {
  const data::Corpus& valid;
  std::string metric;    // of translation quality: bleu or chrf
  bool translates;       // whether to measure quality
  std::string tokenize;  // for BLEU
};

struct Measured : Measurement {
  int64_t parameters = 0;
};

// Trains until the options' limits or for `seconds` in total if given, resuming an interrupted
// training, then measures the model and writes translations to FOLDER/translations.txt. Canceled:
// by `stop`. Diverged: its loss is not finite. Errors as train::train().
struct Diverged : RunError {
  using RunError::RunError;
};
Measured run_trial(const train::TrainOptions& options, std::optional<double> seconds, const Measuring& how,
                   train::TrainWatcher& watcher, const std::atomic<bool>& stop);

// p-value for `file` having better translations than `baseline_file` by this metric; see
// evaluate::paired_p_value().
double p_value(const std::string& baseline_file, const std::string& file, const Measuring& how);

}  // namespace hexapla::train::tune
