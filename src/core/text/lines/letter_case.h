#pragma once
// Upper and lower case in all scripts that have them, without language-specific rules: "I" becomes
// "i" in Turkish, too, and Greek capitals keep their accents.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/words.h"

namespace hexapla::text {

// Capitalizes the first letter of a text if it is in lower case and has a capital.
std::string capitalized(std::string_view text);

// Whether a text has at least two words with two capitals each, so that it may contain sentences in
// capitals.
bool has_capitals(std::string_view text);
// Whether a text is written in capitals: it has such words, no lower-case letter but ß, and no
// letter of a script without case.
bool in_capitals(std::string_view text);
// Lowercases the text, character by character; Σ at the end of a word becomes ς.
std::string lowered(std::string_view text);
// The same, with a capital at the start if the text begins with a word.
std::string as_sentence(std::string_view text);
// Maps spans of a text to another spelling of it with the same number of characters.
std::vector<TokenSpan> moved_to(std::string_view other, std::string_view text, std::vector<TokenSpan> spans);
// Converts a text to capitals (ß to SS), except `kept` (bytes of the text), and adjusts the spans.
void make_capitals(std::string& text, std::span<TokenSpan> spans, std::span<const TokenSpan> kept = {});

}  // namespace hexapla::text
