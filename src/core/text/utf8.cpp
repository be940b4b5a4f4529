#include "text/utf8.h"

#include <utf8proc.h>

#include <algorithm>

#include "base/unicode_scripts.h"

namespace hexapla::text {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

struct Decoded {
  utf8proc_int32_t code_point = -1;
  size_t bytes = 0;  // 0: no valid sequence begins here
};

Decoded decode_at(std::string_view text, size_t at) {
  utf8proc_int32_t code_point = -1;
  const auto* begin = reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at;
  const auto n = utf8proc_iterate(begin, static_cast<utf8proc_ssize_t>(text.size() - at), &code_point);
  return n > 0 ? Decoded{code_point, static_cast<size_t>(n)} : Decoded{};
}

utf8proc_int32_t last_of(std::string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && text.size() - at < 4 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return decode_at(text, at).code_point;
}

// Characters that a terminal interprets; format characters only if they can disguise text.
bool commands_terminal(utf8proc_int32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0) ||
         (code_point >= 0x202A && code_point <= 0x202E) || (code_point >= 0x2066 && code_point <= 0x2069);
}

bool in_word(utf8proc_int32_t code_point) {  // a letter, a mark or a digit
  const utf8proc_category_t kind = utf8proc_category(code_point);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_NO;
}

bool without_blanks(utf8proc_int32_t c) { return c >= 0 && writes_no_blanks(static_cast<char32_t>(c)); }
bool wide_mark(utf8proc_int32_t c) { return c >= 0 && is_wide_mark(static_cast<char32_t>(c)); }

// A mark that belongs to the preceding character: a vowel sign, a tone, the dots of a kana.
bool is_combining(utf8proc_int32_t code_point) {
  const utf8proc_category_t kind = utf8proc_category(code_point);
  const bool am = code_point == 0x0E33 || code_point == 0x0EB3;  // a Thai and Lao vowel, categorized as a letter
  return am || kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_MC || kind == UTF8PROC_CATEGORY_ME;
}

}  // namespace

std::optional<size_t> invalid_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const Decoded next = decode_at(text, at);
    if (next.bytes == 0) return at;
    at += next.bytes;
  }
  return std::nullopt;
}

std::string clean_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t good = invalid_utf8(text).value_or(text.size());
    out.append(text.substr(0, good));
    if (good == text.size()) break;
    out.append(kReplacement);
    text.remove_prefix(good + 1);
  }
  return out;
}

std::string printable(std::string_view text, std::string_view keep) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Decoded next = decode_at(text, at);
    const std::string_view bytes = text.substr(at, std::max<size_t>(next.bytes, 1));
    at += bytes.size();
    if (next.bytes == 0) {
      out += kReplacement;
    } else if (!commands_terminal(next.code_point) || keep.find(bytes) != keep.npos) {
      out += bytes;
    } else {
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) out += digits[static_cast<size_t>(next.code_point >> shift) & 15];
    }
  }
  return out;
}

bool has_text(std::string_view line) {
  for (size_t at = 0; at < line.size();) {
    const Decoded next = decode_at(line, at);
    const utf8proc_category_t kind = utf8proc_category(next.code_point);
    const bool letter = kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
    const bool digit = kind >= UTF8PROC_CATEGORY_ND && kind <= UTF8PROC_CATEGORY_NO;
    if (letter || digit || (next.code_point > ' ' && next.code_point < 0x7F)) return true;
    at += std::max<size_t>(next.bytes, 1);
  }
  return false;
}

size_t character_bytes(std::string_view text) {
  return text.empty() ? 0 : std::max<size_t>(decode_at(text, 0).bytes, 1);
}

bool word_boundary(std::string_view text, size_t at) {
  if (at == 0 || at >= text.size()) return true;
  const utf8proc_int32_t left = last_of(text.substr(0, at)), right = decode_at(text, at).code_point;
  if (without_blanks(left) && is_combining(right)) return false;
  return !in_word(left) || !in_word(right) || without_blanks(left) || without_blanks(right);
}

bool word_ends(std::string_view text) {
  if (text.empty()) return true;
  const utf8proc_int32_t last = last_of(text);
  return !in_word(last) || without_blanks(last);
}

bool begins_without_blank(std::string_view text) {
  if (text.empty()) return false;
  const utf8proc_int32_t first = decode_at(text, 0).code_point;
  return without_blanks(first) || wide_mark(first);
}

bool ends_without_blank(std::string_view text) {
  if (text.empty()) return false;
  const utf8proc_int32_t last = last_of(text);
  return without_blanks(last) || (last >= 0xFF01 && last <= 0xFF1F);
}

int width(std::string_view text) {
  int columns = 0;
  for (size_t at = 0; at < text.size();) {
    const Decoded next = decode_at(text, at);
    columns += next.bytes == 0 ? 1 : utf8proc_charwidth(next.code_point);
    at += std::max<size_t>(next.bytes, 1);
  }
  return columns;
}

std::string padded(std::string_view text, int columns) {
  return std::string(text) + std::string(static_cast<size_t>(std::max(0, columns - width(text))), ' ');
}

}  // namespace hexapla::text
