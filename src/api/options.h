#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/options/given_option.h"
#include "base/options/option_names.h"
#include "hexapla/options.h"

namespace hexapla::api {

// UsageError: an option is given in both spellings.
std::vector<GivenOption> given_options(const Options& options);

// Type names as in json_schema_of().
template <class Field>
std::string type_name() {
  if constexpr (std::same_as<Field, bool>)
    return "boolean";
  else if constexpr (is_list<Field>)
    return "list of " + type_name<typename Field::value_type>();
  else if constexpr (Number<Field>)
    return std::integral<Field> ? "integer" : "number";
  else
    return "text";
}

// Describes an option as visit() declares it; `field` holds its default.
template <class Field, class Allowed>
OptionDescription described(const std::string& name, const Field& field, const std::string& help,
                            const Allowed& allowed) {
  std::string usual;
  if constexpr (Number<Field>)
    usual = allowed.zero && field == 0 ? allowed.zero : fmt::format("{}", field);
  else if constexpr (std::same_as<Field, bool>)
    usual = field ? "true" : "false";
  else if constexpr (!is_list<Field>)
    usual = field;
  std::string what = spell_options(help, as_field);
  if constexpr (std::same_as<Allowed, Choices>)  // for help that does not list its choices
    if (!allowed.empty() && what.find(allowed.back()) == what.npos)
      what += fmt::format(": {}", fmt::join(allowed, ", "));
  return {as_field(name), type_name<Field>(), usual, what};
}

}  // namespace hexapla::api
