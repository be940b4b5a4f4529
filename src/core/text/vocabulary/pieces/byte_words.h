#pragma once
// Text in the form of byte-level BPE (Radford et al. 2019, GPT-2): every byte is a visible
// character, and one regular expression for all scripts splits text into words. No piece crosses
// words.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/words.h"

namespace hexapla::text {

// GPT-2's character for each byte: " ä" is "ĠÃ¤". Visible Latin-1 characters represent themselves,
// the other 68 bytes are U+0100 to U+0143.
std::string visible_bytes(std::string_view bytes);
// The inverse; nothing if a character represents no byte.
std::optional<std::string> bytes_of_visible(std::string_view text);

// The matches of 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+, which
// cover the text: a blank belongs to the following word. \s is Unicode's White_Space; invalid UTF-8
// bytes are not letters.
std::vector<TokenSpan> byte_level_words(std::string_view text);

// Whether there is only such white space.
bool is_white_space(std::string_view text);

}  // namespace hexapla::text
