#include "curate/line_faults.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "text/utf8.h"

namespace hexapla::curate {
namespace {

using namespace std::string_view_literals;

unsigned char byte_at(std::string_view text, size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}
bool follows(std::string_view text, size_t at, std::string_view what) { return text.substr(at, what.size()) == what; }

bool control_at(std::string_view line, size_t at) {
  const unsigned char c = byte_at(line, at);
  if (c < 0x20 || c == 0x7F) return c != '\t';
  if (c == 0xC2) return byte_at(line, at + 1) < 0xA0;  // U+0080 to U+009F
  return follows(line, at, "\u2028"sv) || follows(line, at, "\u2029"sv) || follows(line, at, "\uFEFF"sv);
}

// Whether the character is one that a byte 0x80 to 0xBF becomes in Latin-1 or Windows-1252. Left out are quotes, dashes
// and the ellipsis: they may well follow a letter.
bool image_of_a_later_byte(std::string_view line, size_t at) {
  if (byte_at(line, at) == 0xC2) return byte_at(line, at + 1) != 0xAB && byte_at(line, at + 1) != 0xBB;
  constexpr std::array windows = {"€"sv, "‚"sv, "ƒ"sv, "„"sv, "†"sv, "‡"sv, "ˆ"sv, "‰"sv, "Š"sv, "‹"sv,
                                  "Œ"sv, "Ž"sv, "˜"sv, "™"sv, "š"sv, "›"sv, "œ"sv, "ž"sv, "Ÿ"sv};
  return std::any_of(windows.begin(), windows.end(), [&](std::string_view c) { return follows(line, at, c); });
}

// How strongly the character at `at` and the next ones look like UTF-8 that was taken for something else: 2 is enough.
int mojibake_at(std::string_view line, size_t at) {
  if (byte_at(line, at) != 0xC3) return 0;
  const size_t next = at + 2;
  switch (byte_at(line, at + 1)) {
    case 0x83:
      return image_of_a_later_byte(line, next) ? 2 : 0;  // Ã¤
    case 0x82:
      return image_of_a_later_byte(line, next) && byte_at(line, next + 1) >= 0xA0 ? 2 : 0;  // Â°
    case 0xA2:
      return follows(line, next, "€"sv) || follows(line, next, "\u0080"sv) ? 2 : 0;  // â€œ
    case 0xB0:
      return follows(line, next, "Ÿ"sv) || follows(line, next, "\u009F"sv) ? 2 : 0;  // ðŸ˜€
    case 0x90:
    case 0x91:
      return image_of_a_later_byte(line, next) ? 1 : 0;  // Ð¿Ñ€, Cyrillic; one alone may be Icelandic
    default:
      return 0;
  }
}

// Where the signs of it are enough; npos: nowhere.
size_t mojibake_in(std::string_view line) {
  int signs = 0;
  for (size_t at = line.find('\xC3'); at != std::string_view::npos; at = line.find('\xC3', at + 1)) {
    signs += mojibake_at(line, at);
    if (signs >= 2) return at;
  }
  return std::string_view::npos;
}
size_t control_in(std::string_view line) {
  for (size_t at = 0; at < line.size(); ++at) {
    if (control_at(line, at)) return at;
  }
  return std::string_view::npos;
}

bool ascii_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The length of the white space that begins at `at`, in bytes; 0: none.
size_t space_at(std::string_view line, size_t at) {
  if (ascii_space(byte_at(line, at))) return 1;
  if (follows(line, at, "\u00A0"sv) || follows(line, at, "\u00AD"sv)) return 2;
  if (follows(line, at, "\u3000"sv) || follows(line, at, "\uFEFF"sv) || follows(line, at, "\u2028"sv)) return 3;
  const bool general =
      follows(line, at, "\xE2\x80"sv) && byte_at(line, at + 2) >= 0x80 && byte_at(line, at + 2) <= 0x8F;
  return general || follows(line, at, "\u202F"sv) || follows(line, at, "\u2060"sv) ? 3 : 0;
}

}  // namespace

bool is_blank(std::string_view line) {
  for (size_t at = 0; at < line.size();) {
    const size_t n = space_at(line, at);
    if (n == 0) return false;
    at += n;
  }
  return true;
}

bool has_letter(std::string_view line) {
  return std::any_of(line.begin(), line.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
  });
}

int64_t characters(std::string_view line) {
  return std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

std::string essence(std::string_view line) {
  std::string out;
  for (const char c : line) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (letter) out += c;
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c + 32);
  }
  return out;
}

FaultSet faults_of(std::string_view line) {
  FaultSet out;
  if (is_blank(line)) out.add(Fault::blank);
  if (text::invalid_utf8(line)) out.add(Fault::encoding);
  if (control_in(line) != std::string_view::npos) out.add(Fault::control);
  if (line.find("\uFFFD"sv) != std::string_view::npos) out.add(Fault::replacement);
  if (!out.has(Fault::encoding) && mojibake_in(line) != std::string_view::npos) out.add(Fault::mojibake);
  return out;
}

size_t offset_of(Fault fault, std::string_view line) {
  size_t offset = 0;
  if (fault == Fault::encoding) offset = text::invalid_utf8(line).value_or(0);
  if (fault == Fault::control) offset = control_in(line);
  if (fault == Fault::replacement) offset = line.find("\uFFFD"sv);
  if (fault == Fault::mojibake) offset = mojibake_in(line);
  return offset == std::string_view::npos ? 0 : offset;
}

std::string excerpt(Fault fault, std::string_view line) {
  constexpr size_t kBefore = 25;
  size_t from = offset_of(fault, line);
  if (from < 2 * kBefore) return std::string(line);
  for (from -= kBefore; from > 0 && (line[from] & 0xC0) == 0x80;) --from;
  return "…" + std::string(line.substr(from));
}

}  // namespace hexapla::curate
