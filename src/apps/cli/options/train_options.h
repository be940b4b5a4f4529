#pragma once
// Options declared in TrainOptions::visit and Config::visit, on the command line and in config
// files.
#include <string>

#include "cli/command/command.h"
#include "lib/training/options.h"

namespace hexapla::cli {

// Binds every option of a training run to `options` and `architecture`. Only values that the user
// gave count; they override the preset's.
struct BoundTrainOptions {
  train::TrainOptions options;
  model::Config architecture;
  int64_t layers = 0;  // --layers: both stacks
  std::string config_file;
};
void bind_train_options(Command& command, BoundTrainOptions& bound);

// After parsing: what was given in the config file and, taking precedence, on the command line.
std::vector<GivenOption> given_train_options(Command& command, BoundTrainOptions& bound);

// After parsing: the options of the run, from the config file (its keys are the long names),
// overridden by the command line. Errors as resolve_options.
train::TrainOptions resolve_train_options(Command& command, BoundTrainOptions& bound);

// The long option (without dashes) most similar to `word`; "" if none is close.
std::string nearest_option(const Command& command, const std::string& word);
// The same for subcommands.
std::string nearest_command(const Command& app, const std::string& word);

}  // namespace hexapla::cli
