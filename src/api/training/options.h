#pragma once
// The options of a training, for interfaces that declare each of them and take them from files and words.
#include "train/feed/run_files.h"
#include "train/plan/options/removed_options.h"
#include "train/plan/resolve/recipes.h"
#include "train/plan/resolve/resolve.h"

namespace hexapla::api {

// train::dump_options(), with `precision` as this machine resolves it.
std::string dump_training(train::TrainOptions options);

}  // namespace hexapla::api
