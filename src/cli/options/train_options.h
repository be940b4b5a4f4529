#pragma once
// Options that are declared elsewhere (TrainOptions::visit, Config::visit) on the command line and in config files.
#include <string>

#include "cli/command.h"
#include "train/plan/options/options.h"

namespace hexapla::cli {

// Every option of a training run as options of `command`, bound to `options` and `architecture`: they count only where
// the user gave them, on top of the preset's.
struct BoundTrainOptions {
  train::TrainOptions options;
  model::Config architecture;
  int64_t layers = 0;  // --layers: both stacks
  std::string config_file;
};
void bind_train_options(Command& command, BoundTrainOptions& bound);

// After parsing: the options of the run, from the config file (its keys are the long names) and, on top of it, the
// command line. Errors as resolve_options.
train::TrainOptions resolve_train_options(Command& command, BoundTrainOptions& bound);

// The known long option (without dashes) that is most like `word`; "" if none is near.
std::string nearest_option(const Command& command, const std::string& word);
// The same for the names of subcommands.
std::string nearest_command(const Command& app, const std::string& word);

}  // namespace hexapla::cli
