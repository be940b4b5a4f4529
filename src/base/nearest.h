#pragma once
#include <string>
#include <vector>

namespace hexapla {

// The name nearest to a possibly misspelled word, by Levenshtein distance; "" if none is near.
std::string nearest(const std::vector<std::string>& names, const std::string& word);

}  // namespace hexapla
