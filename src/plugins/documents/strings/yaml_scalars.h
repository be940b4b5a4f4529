#pragma once
// Scalars of YAML as they are written.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hexapla::text::document {

enum class YamlStyle { plain, single_quoted, double_quoted, block };

// The range of a string, without its anchor and tag; a block includes its header and its last line
// end.
struct YamlScalar {
  YamlStyle style;
  std::size_t begin, end;
  std::size_t indent;  // of a block: spaces before its lines that are not part of the string
};

// at: where the node begins, including its anchor and tag; value: its decoded string; both as
// reported by a parser. Lines end in \n or \r\n. Returns nothing if the file and the value
// disagree.
std::optional<YamlScalar> yaml_scalar_at(std::string_view yaml, std::size_t at, std::string_view value);

// Whether a YAML 1.1 or 1.2 parser reads a plain scalar as something else than a string: null, a
// boolean, a number, a time, or a Ruby symbol.
bool is_other_than_string(std::string_view plain);

// Writes a text without line ends in this style, which is not block. A plain scalar is quoted if it
// would be read differently, and double-quoted if a character needs an escape. flow: it is in a
// list in brackets or an object in braces.
std::string yaml_scalar(std::string_view text, YamlStyle style, bool flow);
// The content of a double-quoted string, without quotes; line ends and tabs become \n, \r, \t.
std::string yaml_escaped(std::string_view text);

}  // namespace hexapla::text::document
