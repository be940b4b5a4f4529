#pragma once
// Training options for interfaces that declare each of them and read them from files and the
// command line.
#include "train/feed/run_files.h"
#include "train/plan/options/removed_options.h"
#include "train/plan/resolve/recipes.h"
#include "train/plan/resolve/resolve.h"

namespace hexapla::api {

// train::dump_options(), with `precision` resolved for this machine and, for preset auto, with what it chooses for the
// text, which is read.
std::string dump_training(train::TrainOptions options);

}  // namespace hexapla::api
