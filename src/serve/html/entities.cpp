#include "serve/html/entities.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace hexapla::serve {
namespace {

// U+00A0 to U+00FF, in order.
constexpr std::array<std::string_view, 96> latin{
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",    "copy",   "ordf",
    "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn", "sup2",   "sup3",   "acute",  "micro",
    "para",   "middot", "cedil",  "sup1",   "ordm",   "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave",
    "Aacute", "Acirc",  "Atilde", "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",
    "Igrave", "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde", "Ouml",
    "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",  "szlig",  "agrave", "aacute",
    "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil", "egrave", "eacute", "ecirc",  "euml",   "igrave",
    "iacute", "icirc",  "iuml",   "eth",    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide",
    "oslash", "ugrave", "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};

constexpr std::array<std::pair<std::string_view, std::uint32_t>, 24> others{
    {{"lt", '<'},       {"gt", '>'},        {"amp", '&'},      {"quot", '"'},     {"apos", '\''},
     {"OElig", 0x152},  {"oelig", 0x153},   {"Scaron", 0x160}, {"scaron", 0x161}, {"ensp", 0x2002},
     {"emsp", 0x2003},  {"thinsp", 0x2009}, {"ndash", 0x2013}, {"mdash", 0x2014}, {"lsquo", 0x2018},
     {"rsquo", 0x2019}, {"sbquo", 0x201A},  {"ldquo", 0x201C}, {"rdquo", 0x201D}, {"bdquo", 0x201E},
     {"bull", 0x2022},  {"hellip", 0x2026}, {"euro", 0x20AC},  {"trade", 0x2122}}};

void append_utf8(std::string& text, std::uint32_t c) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) return put(0xC0 | c >> 6), put(0x80 | (c & 0x3F));
  if (c < 0x10000) return put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
  put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 0x3F)), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
}

std::optional<std::uint32_t> number_in(std::string_view digits) {
  const bool hexadecimal = !digits.empty() && (digits.front() == 'x' || digits.front() == 'X');
  if (hexadecimal) digits.remove_prefix(1);
  std::uint32_t c = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), c, hexadecimal ? 16 : 10);
  const bool character = c >= 0x20 && c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || !character) return {};
  return c;
}

std::optional<std::uint32_t> character_of(std::string_view name) {
  if (name.starts_with('#')) return number_in(name.substr(1));
  if (const auto* found = std::find(latin.begin(), latin.end(), name); found != latin.end())
    return 0xA0 + static_cast<std::uint32_t>(found - latin.begin());
  for (const auto& [other, c] : others)
    if (name == other) return c;
  return {};
}

}  // namespace

std::string without_entities(std::string_view html) {
  std::string text;
  for (std::size_t i = 0; i < html.size(); ++i) {
    const std::size_t end = html[i] == '&' ? html.substr(0, i + 12).find(';', i) : std::string_view::npos;
    const auto c = end == std::string_view::npos ? std::nullopt : character_of(html.substr(i + 1, end - i - 1));
    if (c)
      append_utf8(text, *c), i = end;
    else
      text += html[i];
  }
  return text;
}

std::string with_entities(std::string_view text) {
  std::string html;
  for (const char c : text) {
    if (c == '&')
      html += "&amp;";
    else if (c == '<')
      html += "&lt;";
    else if (c == '>')
      html += "&gt;";
    else
      html += c;
  }
  return html;
}

}  // namespace hexapla::serve
