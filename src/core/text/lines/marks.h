#pragma once
// Punctuation at which texts are split.
#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "text/utf8.h"

namespace hexapla::text {

inline std::string_view character_at(std::string_view text, size_t at) {
  return text.substr(at, character_bytes(text.substr(at)));
}
inline std::size_t last_character(std::string_view text) {
  std::size_t at = text.size();
  while (at > 0 && (text[--at] & 0xC0) == 0x80) {
  }
  return at;
}

inline bool is_one_of(std::string_view character, std::initializer_list<std::string_view> marks) {
  return std::find(marks.begin(), marks.end(), character) != marks.end();
}
inline bool is_blank(std::string_view c) { return is_one_of(c, {" ", "\t", "\n", "\r", "\u00A0", "\u202F", "\u3000"}); }
inline bool is_opening(std::string_view c) {
  return is_one_of(c, {"\"", "'", "(", "[", "{", "\u201C", "\u2018", "\u201E", "\u00AB", "\u300C", "\u300E", "\uFF08",
                       "\u3010", "\u300A", "\u00BF", "\u00A1"});
}
inline bool is_closing(std::string_view c) {
  return is_one_of(c, {"\"", "'", ")", "]", "}", "\u201D", "\u2019", "\u201C", "\u00BB", "\u300D", "\u300F", "\uFF09",
                       "\u3011", "\u300B"});
}
// Marks that end a sentence by themselves, and marks that need a space after them.
inline bool is_wide_stop(std::string_view c) {
  return is_one_of(c, {"\u3002", "\uFF01", "\uFF1F", "\uFF61", "\u104B", "\u17D4"});
}
inline bool is_stop(std::string_view c) {
  return is_wide_stop(c) || is_one_of(c, {".", "!", "?", "\u2026", "\u0964", "\u0965", "\u061F", "\u06D4", "\u0589",
                                          "\u1362", "\u037E", "\u203C", "\u2047", "\u2048", "\u2049"});
}
inline bool is_wide_comma(std::string_view c) { return is_one_of(c, {"\uFF0C", "\u3001", "\uFF1B", "\uFF1A"}); }
inline bool is_comma(std::string_view c) { return is_wide_comma(c) || is_one_of(c, {",", ";", ":", "\u060C"}); }

}  // namespace hexapla::text
