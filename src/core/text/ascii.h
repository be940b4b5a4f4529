#pragma once
// Characters of ASCII, whatever the locale: <cctype> follows it, and takes no negative char.
#include <algorithm>
#include <string>
#include <string_view>

namespace hexapla::text::ascii {

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr char lower(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

inline bool all_space(std::string_view text) { return std::all_of(text.begin(), text.end(), is_space); }
inline std::string lower(std::string_view text) {
  std::string all(text);
  for (char& c : all) c = lower(c);
  return all;
}

}  // namespace hexapla::text::ascii
