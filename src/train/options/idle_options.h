#pragma once
#include <map>
#include <string>

#include "train/options/options.h"

namespace hexapla::train {

// Options that can do nothing beside the others of a run, and for each what to do about it.
std::map<std::string, std::string> idle_options(const TrainOptions& options);

}  // namespace hexapla::train
