#pragma once
#include <string>

namespace hexapla {

// A file name as a shell word, for commands that messages suggest: quoted where a shell would
// interpret it ('my run'), and prefixed with "./" where a program would take it for an option.
std::string shell_word(const std::string& name);

}  // namespace hexapla
