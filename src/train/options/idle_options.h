#pragma once
#include <set>
#include <string>

#include "train/options/options.h"

namespace hexapla::train {

// Options that do nothing beside the others of a run, as their declarations say.
std::set<std::string> idle_options(const TrainOptions& options);

}  // namespace hexapla::train
