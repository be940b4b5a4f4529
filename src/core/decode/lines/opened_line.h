#pragma once
// The target language of a line: a prefix such as ">>de<<", for multilingual models.
#include <optional>
#include <string_view>

#include "decode/lines/line_encoder.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::decode {

struct OpenedLine {
  size_t bytes = 0;                  // prefix that names the language and is not part of the text
  std::optional<int32_t> opening{};  // first token of the translation: given, and costs nothing
};

// Empty if translations into this vocabulary do not begin with a language token.
OpenedLine opened_line(const text::Vocabulary& target, std::string_view line);
// The same; warns if the line begins with a language that neither vocabulary has, which makes it
// part of the text.
OpenedLine opened_line(const text::Vocabulary& source, const text::Vocabulary& target, std::string_view line,
                       size_t index, const LineWarning& warn);

}  // namespace hexapla::decode
