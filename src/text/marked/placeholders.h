#pragma once
// Parts of a text that no language has words for: placeholders of programs ({0}, {{name}}, ${x},
// %1$s, %d), tags (<x id="1"/>), addresses (https://a.b/c, a.b.org, me@a.b), @names, #tags, emoji, `code`.
#include <string_view>
#include <vector>

#include "text/words.h"

namespace hexapla::text {

// In order, none overlaps another. Takes invalid UTF-8, too; time in proportion to the text.
std::vector<TokenSpan> placeholders(std::string_view text);

// Whether a character is part of a word with its neighbors: a letter of a script that has capitals, a digit, '_'.
bool joins_words(char32_t c);

}  // namespace hexapla::text
