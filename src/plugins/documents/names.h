#pragma once
// Names of elements and attributes.
#include <algorithm>
#include <string_view>

namespace hexapla::text::document {

template <class List>
bool among(const List& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The name without its namespace prefix: "w:p" -> "p".
inline std::string_view local_name(std::string_view name) { return name.substr(name.find(':') + 1); }

}  // namespace hexapla::text::document
