#pragma once
#include <span>
#include <string>

#include "train/plan/options/options.h"

namespace hexapla::train {

// UsageError if the options name an input file that the run writes in its folder: it would be
// overwritten. `vocab` and `vocabs` may name the run's own copies, which do not change.
void refuse_own_files(const TrainOptions& options);
// The same for the file that gave options; "": none.
void refuse_own_config(const std::string& config, const TrainOptions& options);

// The files that a command writes into the folder `model`, and the folders that it fills.
struct Written {
  std::span<const char*const> files, folders;
};
// UsageError if `input` is among it. own: this file is a copy of the input that does not change.
void refuse_written(const std::string& input, const std::string& folder, const Written& written,
                    const std::string& own = "");

}  // namespace hexapla::train
