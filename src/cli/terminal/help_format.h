#pragma once
#include <string>

#include "cli/command.h"

namespace hexapla::cli {

// Wraps help into lines of at most `columns`. All but the first line of an option stay below its description, and a
// command goes on after a backslash. Prose is filled again: a line that begins without blanks goes on with the next one
// that does.
std::string wrapped(const std::string& help, int columns);

// Help of this command and those below it is as wide as the terminal, at most 100 columns, and names options as flags.
void format_help(const Command& command);

}  // namespace hexapla::cli
