#pragma once
// Training and validation text of a tuning.
#include <string>
#include <vector>

#include "base/options/given_option.h"
#include "data/files/corpus.h"
#include "data/training_text.h"

namespace hexapla::train::tune {

struct TuningText {
  std::vector<GivenOption> given;  // with the training and validation sets to use
  std::string held_out;            // which lines are held out for validation; empty: `valid-sets` was given
};
// If `valid-sets` is not given, holds out every n-th pair of the training sets, a tenth of all but
// at most 1,000, in FOLDER/valid.source and .target, and writes the others to FOLDER/train-1.source
// and so on, two files per set. Reuses complete files. UsageError: sets that can be read only once;
// an option that refers to lines of the training set (guided-alignment). DataError: fewer than 100
// pairs; as TrainingText. RunError.
TuningText with_validation(std::vector<GivenOption> given, const std::string& folder,
                           const data::ReadingProgress& progress);

// Reads the validation sets; evenly samples `most` pairs if there are more.
data::Corpus read_validation(const std::vector<std::string>& files, bool tsv, int64_t most = 1000);

}  // namespace hexapla::train::tune
