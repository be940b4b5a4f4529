#pragma once
// nlohmann's JSON, whose templates are instantiated once, in json.cpp: every file that uses it compiles in half the
// time.
#include <nlohmann/json.hpp>
#include <string>

namespace hexapla {

// JSON as text, on one line without an indent. Names of files, options and lines of data may hold bytes that are not
// UTF-8: JSON has no word for them, each becomes U+FFFD. dump() throws there, so this is the one place that calls it.
template <class Json>
std::string json_text(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// How far a text may go before a tree is built of it. Whatever is done to a tree (to write, copy or compare it) calls
// itself once for every level, and a value takes a hundred times the two bytes that it may have in the text.
inline constexpr size_t kDeepestJson = 64, kMostJsonValues = size_t{1} << 20;

// Levels that are inside of each other, and values, of a text as far as it is JSON: never less than the parser finds.
struct JsonExtent {
  size_t depth = 0, values = 0;
};
JsonExtent extent_of_json(const std::string& text);

// The tree of a text that may be from anywhere: no other file calls nlohmann's parser (scripts/check_json.py).
// DataError naming `name`: it is no JSON, or beyond one of the limits.
template <class Json = nlohmann::json>
Json parse_json(const std::string& text, const std::string& name,
                const std::string& remedy = "the file is damaged, get it again from its source");

// The same of a text that need not be JSON: null where parse_json() refuses.
template <class Json = nlohmann::json>
Json json_or_null(const std::string& text);

extern template nlohmann::json parse_json(const std::string&, const std::string&, const std::string&);
extern template nlohmann::ordered_json parse_json(const std::string&, const std::string&, const std::string&);
extern template nlohmann::json json_or_null(const std::string&);
extern template nlohmann::ordered_json json_or_null(const std::string&);

}  // namespace hexapla

namespace nlohmann {

using TextOfJson = detail::iterator_input_adapter<std::string::const_iterator>;

extern template class basic_json<>;
extern template class detail::serializer<json>;
extern template class detail::lexer<json, TextOfJson>;
extern template class detail::parser<json, TextOfJson>;
extern template class basic_json<ordered_map>;
extern template class detail::serializer<ordered_json>;
extern template class detail::lexer<ordered_json, TextOfJson>;
extern template class detail::parser<ordered_json, TextOfJson>;

}  // namespace nlohmann
