#pragma once
// Upper and lower case in all scripts that have them, without rules of single languages: "I" becomes
// "i" in Turkish, too, and Greek capitals keep their accents.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/words.h"

namespace hexapla::text {

// The text with a lower-case first letter capitalized, if it has a capital.
std::string capitalized(std::string_view text);

// True if a text has at least two words with two capitals each, so that it may have sentences in
// capitals.
bool has_capitals(std::string_view text);
// True if a text is written in capitals: it has such words, no small letter but ß, and no letter of a
// script without case.
bool in_capitals(std::string_view text);
// In small letters, character by character; Σ at the end of a word becomes ς.
std::string lowered(std::string_view text);
// The same, with a capital at the start if the text begins with a word.
std::string as_sentence(std::string_view text);
// Moves spans of a text to another writing of it with the same number of characters.
std::vector<TokenSpan> moved_to(std::string_view other, std::string_view text, std::vector<TokenSpan> spans);
// Puts a text into capitals, ß as SS, except `kept` (bytes of the text), and moves the spans along.
void make_capitals(std::string& text, std::span<TokenSpan> spans, std::span<const TokenSpan> kept = {});

}  // namespace hexapla::text
