#pragma once
// One training of a tuning, and what is measured of it.
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "data/files/corpus.h"
#include "train/watch/watcher.h"
#include "tune/record.h"

namespace hexapla::tune {

// The options of the training that a candidate stands for, in this folder. Errors as train::resolve_options().
train::TrainOptions full_training(std::vector<GivenOption> given, const Candidate& candidate,
                                  const std::string& folder);

// The short training that is measured in its place: batches of an eighth, so that it has updates enough, with 0.4 times
// the learning rate and a tenth of the warm-up; a decay by 1 / sqrt(update), which needs no end; a moving average
// of the weights instead of the mean of checkpoints. It never sees more tokens than the full one.
train::TrainOptions short_training(train::TrainOptions full);

// The same until it has made as many updates as the first trial of its rung, whatever else the machine does meanwhile;
// that one itself (null) until its own end, or until it is told to end. None has a limit of time, which would give it
// another schedule than the others have.
train::TrainOptions until(train::TrainOptions brief, const Measurement* first);

struct Measuring {
  const data::Corpus& valid;
  std::string metric;    // of the quality of translations: bleu or chrf
  bool translates;       // is that measured, too?
  std::string tokenize;  // of BLEU
};

struct Measured : Measurement {
  int64_t parameters = 0;
};

// Trains until the options say or, where `seconds` is given, for so long in all at most, or goes on from where it was
// stopped, and measures the model; translations go to FOLDER/translations.txt. Canceled: by `stop`. Diverged: its loss
// is no number. Errors as train::train().
struct Diverged : RunError {
  using RunError::RunError;
};
Measured run_trial(const train::TrainOptions& options, std::optional<double> seconds, const Measuring& how,
                   train::TrainWatcher& watcher, const std::atomic<bool>& stop);

// The p-value of one file of translations being better than another by this metric; see evaluate::paired_p_value().
double p_value(const std::string& baseline_file, const std::string& file, const Measuring& how);

}  // namespace hexapla::tune
