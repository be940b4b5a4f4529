#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/options/given_option.h"
#include "base/options/option_names.h"
#include "hexapla/options.h"

namespace hexapla::api {

// UsageError: one that is given under both spellings.
std::vector<GivenOption> given_options(const Options& options);

// As json_schema_of() calls types.
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

// An option as visit() of a set of options declares it; the field has its usual value.
template <class Field, class Allowed>
OptionDescription described(const std::string& name, const Field& field, const std::string& help,
                            const Allowed& allowed) {
  std::string usual;
  if constexpr (Number<Field>)
    usual = allowed.zero && field == 0 ? allowed.zero : fmt::format("{}", field);
  else if constexpr (!is_list<Field>)
    usual = fmt::format("{}", field);
  std::string what = spell_options(help, as_field);
  if constexpr (std::same_as<Allowed, Choices>)  // help that is about something else than its choices
    if (!allowed.empty() && what.find(allowed.back()) == what.npos)
      what += fmt::format(": {}", fmt::join(allowed, ", "));
  return {as_field(name), type_name<Field>(), usual, what};
}

}  // namespace hexapla::api
