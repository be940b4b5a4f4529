#pragma once
// Lists of common words, for texts that are too short for CLD2.
#include <span>
#include <string_view>

namespace hexapla::serve {

struct CommonWords {
  std::string_view language;  // code without script and region
  std::string_view words;     // in lower case, with blanks in between
};

std::span<const CommonWords> common_words();

}  // namespace hexapla::serve
