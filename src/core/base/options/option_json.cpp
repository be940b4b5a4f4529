#include "base/options/option_json.h"

#include "base/error.h"
#include "base/json.h"
#include "base/options/option_names.h"

namespace hexapla {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

template <class T>
void read(const json& value, T* to) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    if (!value.is_number_unsigned()) throw UsageError(cat(json_text(value), " is not a whole number of at least 0"));
  } else if constexpr (std::is_same_v<T, int64_t>) {
    if (!value.is_number_integer()) throw UsageError(cat(json_text(value), " is not a whole number"));
  }
  value.get_to(*to);
}

template <Number T>
ordered_json schema_of(const Range<T>& range) {
  ordered_json schema{{"type", std::integral<T> ? "integer" : "number"},
                      {"minimum", range.or_zero ? T{0} : range.least},
                      {"maximum", range.most}};
  if (range.open_least && !range.or_zero) schema["exclusiveMinimum"] = true;  // as in OpenAPI 3.0
  if (range.open_most) schema["exclusiveMaximum"] = true;
  return schema;
}
ordered_json schema_of(const Choices* choices) {
  ordered_json schema{{"type", "string"}};
  if (!choices->empty()) schema["enum"] = *choices;
  return schema;
}
ordered_json schema_of(AnyValue) { return {{"type", "string"}}; }

}  // namespace

ordered_json json_of(const OptionRow& row) {
  if (const auto* word = std::get_if<WordField>(&row.field)) return word->text();
  return std::visit(
      [](const auto& value) -> ordered_json {
        if constexpr (requires { *value; })
          return *value;
        else
          return nullptr;  // a word
      },
      row.field);
}

void set_recorded(const OptionRow& row, const json& value) {
  if (const auto* word = std::get_if<WordField>(&row.field))
    return word->word->set(*word->choices, "value", value.get<std::string>());
  std::visit(
      [&](const auto& to) {
        if constexpr (requires { *to; }) read(value, to);
      },
      row.field);
}

ordered_json json_schema_of(const OptionRow& row) {
  ordered_json schema = row.is_switch()
                            ? ordered_json{{"type", "boolean"}}
                            : std::visit([](const auto& allowed) { return schema_of(allowed); }, row.allowed);
  if (row.is_list()) schema = {{"type", "array"}, {"items", std::move(schema)}};
  if (*row.help != 0) schema["description"] = spell_options(row.help, as_field);
  return schema;
}

}  // namespace hexapla
