#pragma once
// Python's str methods that the metrics need. Each invalid byte counts as U+FFFD.
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::evaluate {

std::u32string code_points(std::string_view text);
std::string to_utf8(std::u32string_view text);

bool in_ranges(std::u32string_view ranges, char32_t c);  // pairs of first and last character
bool is_space(char32_t c);                               // str.isspace() of a character
std::vector<std::string> split(std::string_view text);   // str.split() at white space
std::string strip_right(std::string_view text);          // str.rstrip()
std::string strip(std::string_view text);                // str.strip()
std::string lower(std::string_view text);                // str.lower(): full mapping with the final sigma

}  // namespace hexapla::evaluate
