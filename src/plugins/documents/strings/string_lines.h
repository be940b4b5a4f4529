#pragma once
// User interface strings: split at escapes, with tags as markup.
#include <functional>
#include <string>
#include <string_view>

#include "documents/pieces.h"

namespace hexapla::text::document {

// How a format writes strings.
struct StringFormat {
  std::function<std::string(std::string_view raw)> decoded;
  std::function<std::string(std::string_view text)> encoded;
  std::string after_line = {};  // written between a line's end (\n) and the next line
};

// Adds each line of the string, split at \n, \r and \t. raw: as written between the quotes, with
// backslash escapes. Tags (<b>, <br/>, <0>) enclose words or are standalone.
void add_string(std::string_view raw, const StringFormat& format, Pieces& pieces);
// Adds one line. text: decoded; raw: as written.
void add_string_line(std::string_view text, std::string_view raw, Pieces::Writing encoded, Pieces& pieces);

// Decodes and encodes the content of a JSON string, without quotes. json_unescaped() keeps escapes
// that JSON does not know.
std::string json_unescaped(std::string_view raw);
std::string json_escaped(std::string_view text);

// Whether it may be translatable text: it has a letter, and is not an address.
bool is_text(std::string_view text);
// Whether an argument of an ICU message has texts of its own ("{n, plural, one {..} other {..}}").
bool has_choices(std::string_view text);

}  // namespace hexapla::text::document
