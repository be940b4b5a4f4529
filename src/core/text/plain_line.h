#pragma once
// Text that a program can safely print as one line, from any source.
#include <span>
#include <string>
#include <string_view>

#include "text/words.h"

namespace hexapla::text {

// The text as one line: tabs and line breaks (line feed to carriage return, U+0085, U+2028, U+2029)
// become blanks, other control characters (C0, DEL, C1) are removed, invalid UTF-8 bytes become
// U+FFFD. The rest is unchanged, byte for byte.
std::string plain_line(std::string_view text);

// The same, also adjusting spans of the text to the new positions of their bytes.
void make_plain_line(std::string& text, std::span<TokenSpan> spans);

}  // namespace hexapla::text
