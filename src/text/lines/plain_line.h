#pragma once
// What a program may print as one line of text, whoever wrote it.
#include <span>
#include <string>
#include <string_view>

#include "text/words.h"

namespace hexapla::text {

// The text as one line: tabs and whatever breaks lines (line feed to carriage return, U+0085, U+2028, U+2029) become
// blanks, other control characters (C0, DEL, C1) vanish, bytes outside of valid UTF-8 become U+FFFD. All else stays
// as it is, byte for byte.
std::string plain_line(std::string_view text);

// The same, and spans of the text go where their bytes have gone.
void make_plain_line(std::string& text, std::span<TokenSpan> spans);

}  // namespace hexapla::text
