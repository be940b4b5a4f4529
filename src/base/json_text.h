#pragma once
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
