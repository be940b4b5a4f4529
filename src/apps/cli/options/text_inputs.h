#pragma once
// Options that name files to read line by line (data/files/lines.h); "-" is stdin, which can be
// read only once.
#include "cli/command/command.h"

namespace hexapla::cli {

// Marks such an option: option->check(text_input()). A test checks the options of every command.
Validator text_input();
// The same in a command that itself reads stdin, so that no option may name it.
Validator text_input_beside_stdin();

// UsageError naming the readers if more than one in `app` or its chosen subcommand reads stdin.
// Call it before anything is read.
void check_readers_of_stdin(const Command& app);

}  // namespace hexapla::cli
