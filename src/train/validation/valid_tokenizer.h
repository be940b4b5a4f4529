#pragma once
#include "train/data/training_data.h"
#include "train/watch/watcher.h"

namespace hexapla::train {

// options with `--valid-tokenize auto` replaced: by the tokenizer of the run that the folder holds, else by that of the
// references' script (evaluate/tokenization/choose_tokenizer.h). Runs of before there was a choice had 13a, and keep
// it. What is chosen, where it is not 13a, is told to the watcher. UsageError: another tokenizer than the run began
// with, where its best model goes by BLEU; one that this machine does not have.
TrainOptions with_valid_tokenizer(const TrainOptions& options, const TrainingData& data, TrainWatcher& watcher);

// Notices that BLEU stays at 0 while chrF climbs: then its tokenizer takes a line for one word.
class SilentBleu {
 public:
  // What to say after this validation; "" for nothing. It is said once. characters_a_word: of the references.
  std::string seen(double bleu, double chrf, double characters_a_word, const std::string& tokenizer);

 private:
  int zeros_ = 0;
  double first_chrf_ = 0;  // of the validations in a row whose BLEU was 0
  bool said_ = false;
};

}  // namespace hexapla::train
