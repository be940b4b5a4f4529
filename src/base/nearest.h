#pragma once
#include <string>
#include <vector>

namespace hexapla {

// The only name that begins with the word and a hyphen (beam: beam-size), else the nearest by Levenshtein distance; ""
// if none is near.
std::string nearest(const std::vector<std::string>& names, const std::string& word);

}  // namespace hexapla
