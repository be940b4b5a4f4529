#pragma once
// nlohmann's JSON. Its templates are instantiated once, in json.cpp, which halves the compile time
// of files that use it.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace hexapla {

// JSON as text, on one line by default. Names of files, options and lines of data may hold invalid
// UTF-8, at which dump() would throw; each invalid byte becomes U+FFFD. Nothing else calls dump().
template <class Json>
std::string json_text(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Limits for a text to be parsed. Every operation on a tree (writing, copying, comparing) recurses
// once per level, and a value takes a hundred times the two bytes that it may have in the text.
inline constexpr size_t kDeepestJson = 64, kMostJsonValues = size_t{1} << 20;

// Nesting depth and number of values in a text, as far as it is JSON; never less than what the
// parser finds.
struct JsonExtent {
  size_t depth = 0, values = 0;
};
JsonExtent extent_of_json(const std::string& text);

// Parses a text from any source; no other file calls nlohmann's parser (scripts/check_source.py).
// DataError naming `name`: invalid JSON, or a limit is exceeded.
template <class Json = nlohmann::json>
Json parse_json(const std::string& text, const std::string& name,
                const std::string& remedy = "the file is damaged, get it again from its source");

// The same for text that need not be JSON: null where parse_json() throws.
template <class Json = nlohmann::json>
Json json_or_null(const std::string& text);

// Gives the values of a text to the handler while it is parsed. The handler limits depth and refuses what is no JSON.
void walk_json(std::string_view text, nlohmann::json_sax<nlohmann::json>& handler);

extern template nlohmann::json parse_json(const std::string&, const std::string&, const std::string&);
extern template nlohmann::ordered_json parse_json(const std::string&, const std::string&, const std::string&);
extern template nlohmann::json json_or_null(const std::string&);
extern template nlohmann::ordered_json json_or_null(const std::string&);

}  // namespace hexapla

namespace nlohmann {

using TextOfJson = detail::iterator_input_adapter<std::string_view::const_iterator>;

extern template class basic_json<>;
extern template class detail::serializer<json>;
extern template class detail::lexer<json, TextOfJson>;
extern template class detail::parser<json, TextOfJson>;
extern template class basic_json<ordered_map>;
extern template class detail::serializer<ordered_json>;
extern template class detail::lexer<ordered_json, TextOfJson>;
extern template class detail::parser<ordered_json, TextOfJson>;

}  // namespace nlohmann
