#pragma once
// Text as byte-level BPE has it (Radford et al. 2019, GPT-2): every byte is a character that can be seen, and text is
// cut into words, which no piece spans, by one regular expression for all scripts.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/words.h"

namespace hexapla::text {

// Each byte as GPT-2's table has it: " ä" is "ĠÃ¤". Visible characters of Latin-1 stand for themselves, the other 68
// bytes for U+0100 to U+0143.
std::string visible_bytes(std::string_view bytes);
// The bytes that such characters stand for; nothing where one of them stands for none.
std::optional<std::string> bytes_of_visible(std::string_view text);

// The matches of 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+, which are all of the text:
// a blank belongs to the word behind it. \s is Unicode's White_Space; bytes outside of valid UTF-8 are no letters.
std::vector<TokenSpan> byte_level_words(std::string_view text);

// Whether there is nothing but such white space.
bool is_white_space(std::string_view text);

}  // namespace hexapla::text
