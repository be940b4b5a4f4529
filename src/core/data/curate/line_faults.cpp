#include "data/curate/line_faults.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "data/curate/mojibake.h"
#include "text/utf8.h"

namespace hexapla::data {
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

size_t control_in(std::string_view line) {
  for (size_t at = 0; at < line.size(); ++at) {
    if (control_at(line, at)) return at;
  }
  return std::string_view::npos;
}

// HTML 2 and 4 names of text characters, and "#8217", "#x2019".
bool entity_name(std::string_view name) {
  constexpr std::array known = {"amp"sv,   "lt"sv,     "gt"sv,     "quot"sv,   "apos"sv,   "nbsp"sv,   "copy"sv,
                                "reg"sv,   "trade"sv,  "hellip"sv, "mdash"sv,  "ndash"sv,  "lsquo"sv,  "rsquo"sv,
                                "sbquo"sv, "ldquo"sv,  "rdquo"sv,  "bdquo"sv,  "laquo"sv,  "raquo"sv,  "euro"sv,
                                "pound"sv, "yen"sv,    "cent"sv,   "sect"sv,   "deg"sv,    "times"sv,  "bull"sv,
                                "shy"sv,   "szlig"sv,  "aelig"sv,  "AElig"sv,  "oelig"sv,  "OElig"sv,  "eth"sv,
                                "thorn"sv, "iquest"sv, "iexcl"sv,  "middot"sv, "frac12"sv, "lsaquo"sv, "rsaquo"sv,
                                "para"sv,  "plusmn"sv, "ordm"sv,   "ordf"sv};
  constexpr std::array accents = {"acute"sv, "grave"sv, "circ"sv,  "uml"sv,  "tilde"sv,
                                  "cedil"sv, "ring"sv,  "slash"sv, "caron"sv};
  constexpr auto decimal = "0123456789"sv, hexadecimal = "0123456789abcdefABCDEF"sv;
  if (name.size() < 2) return false;
  if (name[0] == '#') {
    const bool hex = name[1] == 'x' || name[1] == 'X';
    const std::string_view digits = name.substr(hex ? 2 : 1);
    return !digits.empty() && digits.find_first_not_of(hex ? hexadecimal : decimal) == digits.npos;
  }
  return std::find(known.begin(), known.end(), name) != known.end() ||
         std::find(accents.begin(), accents.end(), name.substr(1)) != accents.end();
}

size_t entity_in(std::string_view line) {
  constexpr size_t longest = 9;
  for (size_t at = line.find('&'); at != line.npos; at = line.find('&', at + 1)) {
    const size_t end = line.substr(0, at + longest + 2).find(';', at);
    if (end != line.npos && entity_name(line.substr(at + 1, end - at - 1))) return at;
  }
  return line.npos;
}

bool ascii_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The length in bytes of white space at `at`; 0: none.
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

int64_t characters(std::string_view line) {
  return std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

FaultSet faults_of(std::string_view line) {
  FaultSet out;
  if (is_blank(line)) out.add(Fault::blank);
  if (text::invalid_utf8(line)) out.add(Fault::encoding);
  if (control_in(line) != std::string_view::npos) out.add(Fault::control);
  if (line.find("\uFFFD"sv) != std::string_view::npos) out.add(Fault::replacement);
  if (entity_in(line) != std::string_view::npos) out.add(Fault::entities);
  if (!out.has(Fault::encoding) && mojibake_in(line) != std::string_view::npos) out.add(Fault::mojibake);
  return out;
}

size_t offset_of(Fault fault, std::string_view line) {
  size_t offset = 0;
  if (fault == Fault::encoding) offset = text::invalid_utf8(line).value_or(0);
  if (fault == Fault::control) offset = control_in(line);
  if (fault == Fault::replacement) offset = line.find("\uFFFD"sv);
  if (fault == Fault::entities) offset = entity_in(line);
  if (fault == Fault::mojibake) offset = mojibake_in(line);
  return offset == std::string_view::npos ? 0 : offset;
}

std::string excerpt(Fault fault, std::string_view line) {
  constexpr size_t before = 25;
  size_t from = offset_of(fault, line);
  if (from < 2 * before) return std::string(line);
  for (from -= before; from > 0 && (line[from] & 0xC0) == 0x80;) --from;
  return "…" + std::string(line.substr(from));
}

}  // namespace hexapla::data
