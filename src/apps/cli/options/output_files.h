#pragma once
// Options that name files to write. No command overwrites a file that it reads.
#include "cli/command/command.h"

namespace hexapla::cli {

// Marks such an option: option->check(output_file()). A test checks the options of every command.
Validator output_file();

// UsageError if an output file of `app` or of its chosen subcommand is also read: as the value of
// another option, as the model in a folder that an option names, or as stdin. Call it before
// anything is read.
void check_outputs(const Command& app);

}  // namespace hexapla::cli
