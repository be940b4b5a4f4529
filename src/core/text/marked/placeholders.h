#pragma once
// Language-independent parts of a text: placeholders of programs ({0}, {{name}}, ${x}, %1$s, %d),
// tags (<x id="1"/>), addresses (https://a.b/c, a.b.org, me@a.b), @names, #tags, emoji, `code`.
#include <string_view>
#include <vector>

#include "text/words.h"

namespace hexapla::text {

// In order and without overlaps. Accepts invalid UTF-8, too; takes linear time.
std::vector<TokenSpan> placeholders(std::string_view text);

// Whether a character forms a word with its neighbors: a letter of a script with case, a digit,
// '_'.
bool joins_words(char32_t c);

}  // namespace hexapla::text
