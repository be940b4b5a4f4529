#pragma once
// The JSON Schema of options, from their declarations.
#include <type_traits>

#include "base/json.h"
#include "base/options/option_names.h"
#include "base/range.h"

namespace hexapla {

// The schema of one option: its type, help, and range or choices.
template <class Field, class Allowed>
nlohmann::ordered_json json_schema_of(const Field&, const char* help, const Allowed& allowed) {
  nlohmann::ordered_json schema;
  if constexpr (std::is_same_v<Field, bool>) {
    schema["type"] = "boolean";
  } else if constexpr (is_list<Field>) {
    schema = {{"type", "array"}, {"items", json_schema_of(typename Field::value_type{}, "", allowed)}};
  } else if constexpr (Number<Field>) {
    schema["type"] = std::integral<Field> ? "integer" : "number";
    schema["minimum"] = allowed.or_zero ? Field{0} : allowed.least;
    schema["maximum"] = allowed.most;
    if (allowed.open_least && !allowed.or_zero) schema["exclusiveMinimum"] = true;  // as in OpenAPI 3.0
    if (allowed.open_most) schema["exclusiveMaximum"] = true;
  } else {
    schema["type"] = "string";
    if constexpr (std::is_same_v<Allowed, Choices>)
      if (!allowed.empty()) schema["enum"] = allowed;
  }
  if (*help != 0) schema["description"] = spell_options(help, as_field);
  return schema;
}

}  // namespace hexapla
