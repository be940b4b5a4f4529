#include "text/vocabulary/pieces/byte_words.h"

#include <utf8proc.h>

#include <array>
#include <cstdint>

namespace hexapla::text {
namespace {

constexpr uint32_t kFirstStandIn = 0x100;

bool is_visible(uint32_t byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

struct ByteTable {
  std::array<uint32_t, 256> character;  // of each byte
  std::array<int, 512> byte;            // of each character; -1: none
  ByteTable() {
    byte.fill(-1);
    uint32_t next = kFirstStandIn;
    for (uint32_t b = 0; b < 256; ++b) {
      character[b] = is_visible(b) ? b : next++;
      byte[character[b]] = static_cast<int>(b);
    }
  }
};
const ByteTable& byte_table() {
  static const ByteTable table;
  return table;
}

enum class WordKind { letter, number, space, other };

bool is_space(utf8proc_int32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

WordKind word_kind(utf8proc_int32_t c) {
  if (is_space(c)) return WordKind::space;
  const utf8proc_category_t category = utf8proc_category(c);
  if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) return WordKind::letter;
  if (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO) return WordKind::number;
  return WordKind::other;
}

struct OneCharacter {
  size_t bytes;
  WordKind kind;
};
OneCharacter kind_at(std::string_view text, size_t at) {
  utf8proc_int32_t c = -1;
  const auto n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                  static_cast<utf8proc_ssize_t>(text.size() - at), &c);
  return n > 0 ? OneCharacter{static_cast<size_t>(n), word_kind(c)} : OneCharacter{1, WordKind::other};
}

// A run of characters of one kind from `at` on: its end, and the beginning of its last character.
struct Run {
  size_t last, end;
};
Run run_of_kind(std::string_view text, size_t at, WordKind kind) {
  Run run{at, at};
  while (run.end < text.size()) {
    const OneCharacter c = kind_at(text, run.end);
    if (c.kind != kind) break;
    run = {run.end, run.end + c.bytes};
  }
  return run;
}

size_t contraction(std::string_view rest) {
  for (const std::string_view one : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (rest.starts_with(one)) return one.size();
  return 0;
}

size_t end_of_word(std::string_view text, size_t at) {
  if (const size_t n = contraction(text.substr(at))) return at + n;
  const size_t begin = text[at] == ' ' && at + 1 < text.size() ? at + 1 : at;
  const WordKind kind = kind_at(text, begin).kind;
  if (kind != WordKind::space) return run_of_kind(text, begin, kind).end;
  const Run spaces = run_of_kind(text, at, WordKind::space);
  return spaces.end == text.size() || spaces.last == at ? spaces.end : spaces.last;
}

}  // namespace

std::string visible_bytes(std::string_view bytes) {
  std::string text;
  for (const char b : bytes) {
    const uint32_t c = byte_table().character[static_cast<unsigned char>(b)];
    if (c < 0x80) {
      text += static_cast<char>(c);
    } else {
      text += static_cast<char>(0xC0 | (c >> 6));
      text += static_cast<char>(0x80 | (c & 0x3F));
    }
  }
  return text;
}

std::optional<std::string> bytes_of_visible(std::string_view text) {
  std::string bytes;
  for (size_t at = 0; at < text.size();) {
    utf8proc_int32_t c = -1;
    const auto n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                    static_cast<utf8proc_ssize_t>(text.size() - at), &c);
    if (n <= 0 || c >= 512 || byte_table().byte[c] < 0) return {};
    bytes += static_cast<char>(byte_table().byte[c]);
    at += static_cast<size_t>(n);
  }
  return bytes;
}

std::vector<TokenSpan> byte_level_words(std::string_view text) {
  std::vector<TokenSpan> words;
  for (size_t at = 0; at < text.size(); at = words.back().to) words.push_back({at, end_of_word(text, at)});
  return words;
}

bool is_white_space(std::string_view text) { return run_of_kind(text, 0, WordKind::space).end == text.size(); }

}  // namespace hexapla::text
