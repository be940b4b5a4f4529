#pragma once
// The language that a line chooses for its translation: ">>de<<" before it, for models that are told languages.
#include <optional>
#include <string_view>

#include "text/vocabulary/vocabulary.h"

namespace hexapla::decode {

struct OpenedLine {
  size_t bytes = 0;                  // at the start of the line, which name the language and are no part of the text
  std::optional<int32_t> opening{};  // the token that the translation begins with: it is given, and costs nothing
};

// None of both where translations into this vocabulary begin with no such token.
OpenedLine opened_line(const text::Vocabulary& target, std::string_view line);

}  // namespace hexapla::decode
