#pragma once
// UTF-8: where a text breaks it, how to mend it, how wide it stands on a terminal.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hexapla::text {

// Byte offset of the first byte that no valid sequence (Unicode 3.9, table 3-7) starts at; nothing if all is valid.
std::optional<size_t> invalid_utf8(std::string_view text);

// Every byte outside of a valid sequence becomes U+FFFD; the rest stays as it is.
std::string clean_utf8(std::string_view text);

// For a terminal, or a report that may be read on one: every control character but those to keep (C0, DEL, C1, and
// those that turn the direction of text around) becomes "\u001b", every byte outside of a valid sequence U+FFFD. JSON
// that has been dumped stays the same JSON.
std::string printable(std::string_view text, std::string_view keep = "\n\t");

// Whether there is a letter, a digit or an ASCII punctuation mark: something that no normalization takes away.
bool has_text(std::string_view line);

// Of the character at the start of text; 1 for an invalid byte, 0 for no text.
size_t character_bytes(std::string_view text);

// Whether a word may begin or end before byte `at`: everywhere but between two letters, digits or marks of which
// neither is of a script without blanks between words (Han, kana, Thai, Lao, Khmer, Myanmar); nor before a mark that
// belongs to such a character.
bool word_boundary(std::string_view text, size_t at);
// Whether its last word has ended, whatever may follow: a mark, a blank, or a character of such a script.
bool word_ends(std::string_view text);
// Whether the text begins, or ends, with a character of such a script or a mark of theirs.
bool begins_without_blank(std::string_view text);
bool ends_without_blank(std::string_view text);

// Columns that the text fills on a terminal: 0 for combining marks, 2 for wide characters. Takes invalid UTF-8, too.
int width(std::string_view text);

// The text followed by blanks up to the width; unchanged if it is as wide or wider.
std::string padded(std::string_view text, int columns);

}  // namespace hexapla::text
