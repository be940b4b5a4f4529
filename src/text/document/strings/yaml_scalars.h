#pragma once
// Strings as YAML writes them.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hexapla::text::document {

enum class YamlStyle { plain, single_quoted, double_quoted, block };

// Where a string stands, without its anchor and tag; of a block with its header, and with its last line's end.
struct YamlScalar {
  YamlStyle style;
  std::size_t begin, end;
  std::size_t indent;  // of a block: blanks before its lines that are none of the string's
};

// at: where the node with its anchor and tag begins; value: what it says, as a parser tells both. Lines end with \n or
// \r\n. Nothing where the two do not agree.
std::optional<YamlScalar> yaml_scalar_at(std::string_view yaml, std::size_t at, std::string_view value);

// Whether a plain scalar is no string to a reader of YAML 1.1 or 1.2: null, a boolean, a number, a time, or one of
// Ruby's symbols.
bool is_other_than_string(std::string_view plain);

// A text without line ends in this style, none a block; in quotes where a plain one would be read otherwise, and in
// double quotes where others have no word for a character of it. flow: in a list in brackets, or an object in braces.
std::string yaml_scalar(std::string_view text, YamlStyle style, bool flow);
// The same between double quotes, without them; line ends and tabs are \n, \r, \t.
std::string yaml_escaped(std::string_view text);

}  // namespace hexapla::text::document
