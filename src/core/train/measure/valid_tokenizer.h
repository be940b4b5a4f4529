#pragma once
#include "train/feed/training_data.h"
#include "train/record/earlier_run.h"
#include "train/record/watch/watcher.h"

namespace hexapla::train {

// Returns the options with `--valid-tokenize auto` resolved: to the tokenizer of the run in the
// folder, else by the script of the references (evaluate/tokenization/choose_tokenizer.h). Runs
// from before this option used 13a, and keep it. Notes a choice other than 13a to the watcher.
// UsageError: a tokenizer other than the run's although BLEU selects its best model; a tokenizer
// that is not installed. run: in the folder.
TrainOptions with_valid_tokenizer(const TrainOptions& options, const std::optional<EarlierRun>& run,
                                  const TrainingData& data, TrainWatcher& watcher);

// Detects BLEU stuck at 0 while chrF climbs: the tokenizer probably takes lines for single words.
class SilentBleu {
 public:
  // The warning after this validation, given once; "" if there is none. characters_a_word: in the
  // references.
  std::string seen(double bleu, double chrf, double characters_a_word, const std::string& tokenizer);

 private:
  int zeros_ = 0;
  double first_chrf_ = 0;  // at the first of the current zero-BLEU validations
  bool said_ = false;
};

}  // namespace hexapla::train
