#pragma once
// Environment variables that hexapla reads.
#include <string>

namespace hexapla {

// The value of an environment variable; null if it is unset or empty.
const char* environment(const char* name);

// The user's folder for files of this kind that can be made again: $XDG_CACHE_HOME/hexapla/KIND,
// else ~/.cache/hexapla/KIND; "": neither XDG_CACHE_HOME nor HOME is set. The XDG Base Directory
// Specification ignores relative paths.
std::string cache_folder(const std::string& kind);

}  // namespace hexapla
