#pragma once
#include <string>

#include "cli/command/command.h"

namespace hexapla::cli {

// Wraps help into lines of at most `columns`. Further lines of an option stay below its
// description, and a command continues after a backslash. Prose is refilled: consecutive lines
// without indent are joined.
std::string wrapped(const std::string& help, int columns);

// A positional argument in a usage line: "FILE FILE", "MODEL..." if it takes any number.
std::string words_of(const CLI::Option& positional);

// Formats the help of this command and its subcommands: as wide as the terminal, at most 100
// columns, with options spelled as flags.
void format_help(const Command& command);

}  // namespace hexapla::cli
