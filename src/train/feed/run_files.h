#pragma once
#include "train/plan/options/options.h"

namespace hexapla::train {

// UsageError if the options name an input file that the run writes in its folder: it would be
// overwritten. `vocab` and `vocabs` may name the run's own copies, which do not change.
void refuse_own_files(const TrainOptions& options);

}  // namespace hexapla::train
