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
