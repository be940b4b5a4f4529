#pragma once
#include <functional>
#include <string>
#include <vector>

#include "train/plan/options/options.h"

namespace hexapla::train {

// Looks at the files of a run for what would ruin its model, in about four seconds for a million pairs; leaves out what
// can be read only once. -> notes. watch is called occasionally, and may throw. DataError naming file, line and remedy:
// the sides of a set are shifted against each other, or exchanged in comparison with the first set.
std::vector<std::string> check_text(const TrainOptions& options, const std::function<void()>& watch);

}  // namespace hexapla::train
