#pragma once
#include <string>
#include <vector>

namespace hexapla {

// The only name that begins with the word and a hyphen or an underscore (beam: beam-size, beam_size), else the nearest
// by Levenshtein distance; "" if none is near.
std::string nearest(const std::vector<std::string>& names, const std::string& word);

}  // namespace hexapla
