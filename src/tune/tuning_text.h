#pragma once
// The text that a tuning trains and measures on.
#include <string>
#include <vector>

#include "base/options/given_option.h"
#include "data/files/corpus.h"
#include "data/training_text.h"

namespace hexapla::tune {

struct TuningText {
  std::vector<GivenOption> given;  // with the sets that are trained on and the one that is measured on
  std::string held_out;  // which lines are measured on and no longer trained on; empty: `valid-sets` was given
};
// Where there is no `valid-sets`, every n-th pair of the training sets, of all of them a tenth and 1,000 at most, goes
// to FOLDER/valid.source and .target, and the others to FOLDER/train-1.source and so on, a pair of files for each set;
// files that are complete already are taken as they are. UsageError: sets that can be read only once; an option that
// counts the lines of the training set (guided-alignment). DataError: fewer than 100 pairs; as TrainingText. RunError.
TuningText with_validation(std::vector<GivenOption> given, const std::string& folder,
                           const data::ReadingProgress& progress);

// The validation sets: of more than `most` pairs so many, evenly spaced.
data::Corpus read_validation(const std::vector<std::string>& files, bool tsv, int64_t most = 1000);

}  // namespace hexapla::tune
