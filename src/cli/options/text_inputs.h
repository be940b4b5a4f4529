#pragma once
// Options whose files are read line by line (data/files/lines.h), where "-" is stdin. Stdin can be read only once.
#include "cli/command.h"

namespace hexapla::cli {

// Marks such an option: option->check(text_input()). A test goes through the options of every command.
Validator text_input();
// The same of a command that reads stdin in any case, so that no option may.
Validator text_input_beside_stdin();

// UsageError, naming the readers, where stdin would have more than one in `command` or in the subcommand that was
// chosen. To be called before anything is read.
void check_readers_of_stdin(const Command& app);

}  // namespace hexapla::cli
