#pragma once
// UTF-8: where a text breaks it, how to mend it, how wide it stands on a terminal.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hexapla {

// Byte offset of the first byte that no valid sequence (Unicode 3.9, table 3-7) starts at; nothing if all is valid.
std::optional<size_t> invalid_utf8(std::string_view text);

// Every byte outside of a valid sequence becomes U+FFFD; the rest stays as it is.
std::string clean_utf8(std::string_view text);

// Whether there is a letter, a digit or an ASCII punctuation mark: something that no normalization takes away.
bool has_text(std::string_view line);

// Columns that the text fills on a terminal: 0 for combining marks, 2 for wide characters. Takes invalid UTF-8, too.
int width(std::string_view text);

// The text followed by blanks up to the width; unchanged if it is as wide or wider.
std::string padded(std::string_view text, int columns);

}  // namespace hexapla
