#pragma once
// Languages of multilingual models: pieces such as >>de<< that a text begins with.
#include <string>

#include "text/vocabulary/vocabulary.h"

namespace hexapla::text {

// The language that texts of this vocabulary begin with, "de" for >>de<<; "": they begin with none unless they say so.
std::string usual_language(const Vocabulary& vocabulary);

// The vocabulary of sources that begin with the language that they are translated to, as OPUS-MT's do. UsageError
// naming `option` as Vocabulary::opening_with().
Vocabulary beginning_with(const Vocabulary& source, const std::string& language, const std::string& option);

}  // namespace hexapla::text
