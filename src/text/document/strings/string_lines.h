#pragma once
// The texts of a program's strings, between escapes and with tags as markup.
#include <functional>
#include <string>
#include <string_view>

#include "text/document/pieces.h"

namespace hexapla::text::document {

// How a format writes a string.
struct StringFormat {
  std::function<std::string(std::string_view raw)> decoded;
  std::function<std::string(std::string_view text)> encoded;
  std::string after_line = {};  // between a line's end (\n) and a line that follows
};

// Each line of the string, as it is written between its quotes, with backslashes before what they escape: parted at \n,
// \r, \t. Tags (<b>, <br/>, <0>) stand around their words or for themselves.
void add_string(std::string_view raw, const StringFormat& format, Pieces& pieces);
// One line, which reads so; raw: as it is written.
void add_string_line(std::string_view text, std::string_view raw, Pieces::Writing encoded, Pieces& pieces);

// Between the quotes of JSON: what is written so, and how a text is written. The first takes what JSON does not as it
// is.
std::string json_unescaped(std::string_view raw);
std::string json_escaped(std::string_view text);

// Whether it may be a text: it has a letter, and is no address.
bool is_text(std::string_view text);
// Whether an argument of ICU's message format has texts of its own ("{n, plural, one {..} other {..}}").
bool has_choices(std::string_view text);

}  // namespace hexapla::text::document
