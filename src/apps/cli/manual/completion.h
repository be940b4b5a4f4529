#pragma once
#include "cli/manual/description.h"

namespace hexapla::cli {

// Scripts that complete commands, options, words and files in a shell.
std::string bash_completion(const CommandDescription& program);
std::string zsh_completion(const CommandDescription& program);
std::string fish_completion(const CommandDescription& program);

}  // namespace hexapla::cli
