#pragma once
#include <string>
#include <vector>

namespace hexapla {

// The name that is most like a word that may be a misspelling, by Levenshtein's distance; "": none is near.
std::string nearest(const std::vector<std::string>& names, const std::string& word);

}  // namespace hexapla
