#include "text/lines/letter_case.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <vector>

#include "text/characters.h"
#include "text/utf8.h"

namespace hexapla::text {
namespace {

constexpr char32_t kSharpS = 0xDF, kCapitalSigma = 0x3A3;
constexpr utf8proc_int32_t kFinalSigma = 0x3C2;

void append_character(std::string& to, utf8proc_int32_t c) {
  std::array<utf8proc_uint8_t, 4> bytes;
  const auto n = utf8proc_encode_char(c, bytes.data());
  to.append(reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(n));
}

// Whether a letter says nothing about capitals: ß has no commonly used capital, and ª and º, which
// are letters in Unicode, look the same in any text.
bool either_case(char32_t c) { return c == kSharpS || c == 0xAA || c == 0xBA; }

struct Capitals {
  int words = 0;       // with at least two capital letters
  bool small = false;  // whether there are other letters
};

Capitals capitals_of(std::string_view text) {
  Capitals found;
  int in_word = 0;
  for (size_t at = 0; at < text.size();) {
    const auto [c, bytes] = code_point_at(text, at);
    at += bytes;
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
      case UTF8PROC_CATEGORY_LU:
        found.words += ++in_word == 2;
        break;
      case UTF8PROC_CATEGORY_LL:
      case UTF8PROC_CATEGORY_LO:
        found.small = found.small || !either_case(c);
        break;
      case UTF8PROC_CATEGORY_ZS:
      case UTF8PROC_CATEGORY_CC:
        in_word = 0;
        break;
      default:
        break;
    }
  }
  return found;
}

// For each byte of a text, and for its end, the position in another text.
using Places = std::vector<size_t>;

void move(std::span<TokenSpan> spans, const Places& places) {
  for (TokenSpan& span : spans) span = {places[span.from], places[span.to]};
}

bool among(std::span<const TokenSpan> spans, size_t byte) {
  return std::any_of(spans.begin(), spans.end(), [&](const TokenSpan& s) { return s.from <= byte && byte < s.to; });
}

}  // namespace

bool has_capitals(std::string_view text) { return capitals_of(text).words >= 2; }

bool in_capitals(std::string_view text) {
  const Capitals found = capitals_of(text);
  return found.words >= 2 && !found.small;
}

std::string lowered(std::string_view text) {
  std::string out;
  bool in_word = false;
  for (size_t at = 0; at < text.size();) {
    const auto [c, bytes] = code_point_at(text, at);
    at += bytes;
    auto small = utf8proc_tolower(static_cast<utf8proc_int32_t>(c));
    const bool ends = at >= text.size() || word_boundary(text, at);
    if (c == kCapitalSigma && in_word && ends) small = kFinalSigma;
    append_character(out, small);
    in_word = !ends;
  }
  return out;
}

std::string as_sentence(std::string_view text) {
  const std::string small = lowered(text);
  for (const Character& c : characters_of(small))
    if (c.kind == CharacterKind::letter) {
      if (!word_boundary(small, c.from)) break;
      return small.substr(0, c.from) + capitalized(std::string_view(small).substr(c.from));
    }
  return small;
}

std::vector<TokenSpan> moved_to(std::string_view other, std::string_view text, std::vector<TokenSpan> spans) {
  Places places;
  size_t to = 0;
  for (size_t at = 0; at < text.size(); at = places.size()) {
    places.insert(places.end(), code_point_at(text, at).second, to);
    to += to < other.size() ? code_point_at(other, to).second : 0;
  }
  places.push_back(other.size());
  move(spans, places);
  return spans;
}

void make_capitals(std::string& text, std::span<TokenSpan> spans, std::span<const TokenSpan> kept) {
  std::string out;
  Places places;
  for (size_t at = 0; at < text.size(); at = places.size()) {
    const auto [c, bytes] = code_point_at(text, at);
    const auto large = utf8proc_toupper(static_cast<utf8proc_int32_t>(c));
    places.insert(places.end(), bytes, out.size());
    if (among(kept, at) || (static_cast<char32_t>(large) == c && c != kSharpS))
      out.append(text, at, bytes);
    else if (c == kSharpS)
      out += "SS";
    else
      append_character(out, large);
  }
  places.push_back(out.size());
  move(spans, places);
  text = std::move(out);
}

std::string capitalized(std::string_view text) {
  if (text.empty()) return "";
  const auto [c, bytes] = code_point_at(text, 0);
  const auto title = utf8proc_totitle(static_cast<utf8proc_int32_t>(c));
  if (title == static_cast<utf8proc_int32_t>(c) || c == 0xFFFD) return std::string(text);
  std::string out;
  append_character(out, title);
  return out.append(text.substr(bytes));
}

}  // namespace hexapla::text
