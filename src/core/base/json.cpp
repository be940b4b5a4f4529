#include "base/json.h"

#include <algorithm>

#include "base/error.h"

namespace nlohmann {

template class basic_json<>;
template class detail::serializer<json>;
template class detail::lexer<json, TextOfJson>;
template class detail::parser<json, TextOfJson>;
template class basic_json<ordered_map>;
template class detail::serializer<ordered_json>;
template class detail::lexer<ordered_json, TextOfJson>;
template class detail::parser<ordered_json, TextOfJson>;

}  // namespace nlohmann

namespace hexapla {
namespace {

bool within_limits(const JsonExtent& e) { return e.depth <= kDeepestJson && e.values <= kMostJsonValues; }

}  // namespace

// Counts brackets and commas outside of strings; all other text belongs to a value.
JsonExtent extent_of_json(const std::string& text) {
  JsonExtent extent{0, 1};
  size_t depth = 0;
  bool inside = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside) {
      if (c == '\\') ++i;
      inside = c != '"';
    } else if (c == '"') {
      inside = true;
    } else if (c == '[' || c == '{') {
      extent.depth = std::max(extent.depth, ++depth);
      ++extent.values;
    } else if (c == ']' || c == '}') {
      depth -= depth > 0 ? 1 : 0;
    } else if (c == ',') {
      ++extent.values;
    }
  }
  return extent;
}

template <class Json>
Json parse_json(const std::string& text, const std::string& name, const std::string& remedy) {
  const JsonExtent extent = extent_of_json(text);
  if (!within_limits(extent))
    throw DataError(cat(name, ": its JSON has ", extent.depth, " lists and objects inside each other, and ",
                        extent.values, " values; allowed are ", kDeepestJson, " and ", kMostJsonValues, "; ", remedy));
  try {
    return Json::parse(std::string_view(text));
  } catch (const typename Json::exception&) {
    throw DataError(cat(name, " is not valid JSON; ", remedy));
  }
}

template <class Json>
Json json_or_null(const std::string& text) {
  if (!within_limits(extent_of_json(text))) return {};
  Json all = Json::parse(std::string_view(text), nullptr, false);
  return all.is_discarded() ? Json() : all;
}

void walk_json(std::string_view text, nlohmann::json_sax<nlohmann::json>& handler) {
  nlohmann::json::sax_parse(text, &handler);
}

template nlohmann::json parse_json(const std::string&, const std::string&, const std::string&);
template nlohmann::ordered_json parse_json(const std::string&, const std::string&, const std::string&);
template nlohmann::json json_or_null(const std::string&);
template nlohmann::ordered_json json_or_null(const std::string&);

}  // namespace hexapla
