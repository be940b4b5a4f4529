#pragma once
#include <set>
#include <string>

#include "train/plan/options/options.h"

namespace hexapla::train {

// Names of the options that have no effect given the other options (their `when` is false).
std::set<std::string> idle_options(const TrainOptions& options);

}  // namespace hexapla::train
