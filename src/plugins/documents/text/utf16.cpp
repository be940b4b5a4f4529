#include "documents/text/utf16.h"

#include "base/error.h"
#include "text/characters.h"

namespace hexapla::text::document {
namespace {

using namespace std::string_view_literals;

bool is_little(std::string_view content) { return content.starts_with("\xFF\xFE"); }
bool is_first_half(char32_t c) { return c >= 0xD800 && c < 0xDC00; }
bool is_second_half(char32_t c) { return c >= 0xDC00 && c < 0xE000; }

void append(std::string& text, char32_t c) {
  const auto byte = [&](char32_t value) { text += static_cast<char>(value); };
  if (c < 0x80) return byte(c);
  if (c < 0x800)
    byte(0xC0 | c >> 6);
  else if (c < 0x10000)
    byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F));
  else
    byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 0x3F)), byte(0x80 | (c >> 6 & 0x3F));
  byte(0x80 | (c & 0x3F));
}

}  // namespace

bool is_utf16(std::string_view content) {
  return is_little(content) || content.starts_with("\xFE\xFF") || content.starts_with("\0\0\xFE\xFF"sv);
}

std::string from_utf16(std::string_view content) {
  if (content.starts_with("\xFF\xFE\0\0"sv) || content.starts_with("\0\0\xFE\xFF"sv))
    throw DataError("the file is in UTF-32: convert it with: iconv -f UTF-32 -t UTF-8");
  const bool little = is_little(content);
  const auto unit = [&](std::size_t at) -> char32_t {
    if (at + 1 >= content.size()) return 0;
    const auto first = static_cast<unsigned char>(content[at]), second = static_cast<unsigned char>(content[at + 1]);
    return little ? second << 8 | first : first << 8 | second;
  };
  std::string text;
  for (std::size_t at = 0; at < content.size(); at += 2) {
    char32_t c = unit(at);
    const bool pair = is_first_half(c) && is_second_half(unit(at + 2));
    if (at + 1 == content.size() || (!pair && (is_first_half(c) || is_second_half(c))))
      throw DataError(cat("the file begins as UTF-16 does, but byte ", at,
                          " belongs to no character of it: save the file again, in UTF-8"));
    if (pair) c = 0x10000 + ((c - 0xD800) << 10) + (unit(at + 2) - 0xDC00), at += 2;
    append(text, c);
  }
  return text;
}

std::string to_utf16(std::string_view text, bool little) {
  std::string content;
  const auto unit = [&](char32_t value) {
    const char low = static_cast<char>(value & 0xFF), high = static_cast<char>(value >> 8);
    content += little ? low : high;
    content += little ? high : low;
  };
  for (std::size_t at = 0; at < text.size();) {
    const auto [c, bytes] = text::code_point_at(text, at);
    at += bytes;
    if (c < 0x10000)
      unit(c);
    else
      unit(0xD800 + ((c - 0x10000) >> 10)), unit(0xDC00 + ((c - 0x10000) & 0x3FF));
  }
  return content;
}

}  // namespace hexapla::text::document
