#pragma once
// UTF-8: finding and replacing invalid bytes, and the width of a text on a terminal.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hexapla::text {

// Offset of the first byte that does not begin a valid sequence (Unicode 3.9, table 3-7); nothing
// if all are valid.
std::optional<size_t> invalid_utf8(std::string_view text);

// Replaces every byte outside a valid sequence by U+FFFD; the rest is unchanged.
std::string clean_utf8(std::string_view text);

// For a terminal, or a report that may be read on one: every control character not in `keep` (C0,
// DEL, C1, and those that change the direction of text) becomes "\u001b", every byte outside a
// valid sequence U+FFFD. Serialized JSON stays equivalent.
std::string printable(std::string_view text, std::string_view keep = "\n\t");

// Whether there is a letter, a digit or an ASCII punctuation mark, which no normalization removes.
bool has_text(std::string_view line);

// Bytes of the character at the start of text; 1 for an invalid byte, 0 for no text.
size_t character_bytes(std::string_view text);

// Whether a word may begin or end before byte `at`: everywhere except between two letters, digits
// or marks neither of which is in a script without blanks between words (Han, kana, Thai, Lao,
// Khmer, Myanmar); and not before a mark that belongs to such a character.
bool word_boundary(std::string_view text, size_t at);
// Whether the last word has ended whatever follows: ends with a mark, a blank, or a character of
// such a script.
bool word_ends(std::string_view text);
// Whether the text begins or ends with a character of such a script, or a mark of one.
bool begins_without_blank(std::string_view text);
bool ends_without_blank(std::string_view text);

// Columns of the text on a terminal: combining marks 0, wide characters 2. Accepts invalid UTF-8.
int width(std::string_view text);

// The text padded with blanks to this width; unchanged if it is as wide or wider.
std::string padded(std::string_view text, int columns);

}  // namespace hexapla::text
