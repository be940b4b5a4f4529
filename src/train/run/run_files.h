#pragma once
#include "train/options/options.h"

namespace hexapla::train {

// UsageError where a file that the options name to be read is one that the run writes into its folder: the same command
// would have overwritten it. `vocab` and `vocabs` may name the run's own copies, which stay as they are.
void refuse_own_files(const TrainOptions& options);

}  // namespace hexapla::train
