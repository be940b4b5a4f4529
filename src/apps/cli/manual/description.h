#pragma once
// Descriptions of the declared commands and options, for manual pages and completion.
#include <string>
#include <vector>

#include "cli/command/command.h"

namespace hexapla::cli {

struct OptionDescription {
  std::vector<std::string> names;  // "-b", "--beam-size"; for a positional argument "files"
  std::string type;                // "INT"; empty: a switch
  std::string help, usual, group;  // usual: its default
  Choices choices;
  bool positional = false;

  bool takes_value() const { return !type.empty(); }
};

struct CommandDescription {
  std::string name;  // "hexapla bench ops"
  std::string help, footer;
  std::vector<OptionDescription> options;
  std::vector<CommandDescription> commands;
};

CommandDescription describe(const Command& command, const std::string& name = "hexapla");
// Describes hexapla with all its commands.
CommandDescription describe_program();

}  // namespace hexapla::cli
