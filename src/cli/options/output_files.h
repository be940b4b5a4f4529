#pragma once
// Options whose files are written. No command writes into what it reads.
#include "cli/command.h"

namespace hexapla::cli {

// Marks such an option: option->check(output_file()). A test goes through the options of every command.
Validator output_file();

// UsageError where, in `command` or in the subcommand that was chosen, a file that is written is one that is read: the
// value of another option, the model in a folder that one names, or stdin. To be called before anything is read.
void check_outputs(const Command& app);

}  // namespace hexapla::cli
