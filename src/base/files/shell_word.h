#pragma once
#include <string>

namespace hexapla {

// The name of a file as a word of a command that a message suggests, to be copied into a shell: in quotes where a shell
// would take it for something else, "'my run'", and with "./" in front where a program would take it for an option.
std::string shell_word(const std::string& name);

}  // namespace hexapla
