#pragma once
// Capital and small letters, of all scripts that have them. Rules of a particular language are not known: "I" becomes
// "i" in Turkish, too, and Greek capitals keep the accents of small letters.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/words.h"

namespace hexapla::text {

// The text with a capital at its start, where it begins with a small letter that has one.
std::string capitalized(std::string_view text);

// Whether a text has two words or more with two capital letters each: it may have sentences in capitals.
bool has_capitals(std::string_view text);
// Whether a text is written in capitals: it has such words, and no small letter but ß, nor one of a script without
// case.
bool in_capitals(std::string_view text);
// In small letters, character by character; Σ at the end of a word becomes ς.
std::string lowered(std::string_view text);
// The same, and if it begins with a word, that with a capital.
std::string as_sentence(std::string_view text);
// Where spans of a text stand in another writing of it that has as many characters.
std::vector<TokenSpan> moved_to(std::string_view other, std::string_view text, std::vector<TokenSpan> spans);
// Puts a text into capitals, ß as SS, but for what is kept (bytes of the text); spans of it go where their bytes go.
void make_capitals(std::string& text, std::span<TokenSpan> spans, std::span<const TokenSpan> kept = {});

}  // namespace hexapla::text
