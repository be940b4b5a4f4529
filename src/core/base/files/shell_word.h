#pragma once
// Paths as words of a command line.
#include <string>
#include <vector>

namespace hexapla {

// A file name as a shell word, for commands that messages suggest: quoted where a shell would
// interpret it ('my run'), and prefixed with "./" where a program would take it for an option.
std::string shell_word(const std::string& name);

// The paths in "a+b", which stand for one thing; one path if there is a file of that name, or no plus. UsageError
// naming the option: a path is missing beside a plus.
std::vector<std::string> joined_paths(const std::string& word, const std::string& option);

}  // namespace hexapla
