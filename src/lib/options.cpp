#include "lib/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "base/options/option_names.h"

namespace hexapla {

OptionValue::OptionValue(double number) : words_{fmt::format("{}", number)} {}

namespace api {

std::vector<GivenOption> given_options(const Options& options) {
  std::vector<GivenOption> given;
  std::set<std::string> seen;
  for (const auto& [name, value] : options) {
    std::string field = as_field(name);
    if (!seen.insert(field).second)
      throw UsageError(cat("`", name, "` is given twice, spelled in two ways"), field, "");
    given.push_back({name, value.words(), {}, value.is_list()});
  }
  return given;
}

namespace {

// As in json_schema_of().
std::string type_of(const OptionRow& row) {
  return std::visit(
      Overloaded{[](bool*) { return "boolean"; }, [](double*) { return "number"; }, [](int64_t*) { return "integer"; },
                 [](uint64_t*) { return "integer"; }, [](std::vector<double>*) { return "list of number"; },
                 [](std::vector<std::string>*) { return "list of text"; }, [](const auto&) { return "text"; }},
      row.field);
}

OptionDescription description_of(const OptionRow& row) {
  std::string what = spell_options(row.help, as_field);
  if (const Choices* all = row.choices())  // for help that does not list its choices
    if (!all->empty() && what.find(all->back()) == what.npos) what += fmt::format(": {}", fmt::join(*all, ", "));
  return {as_field(row.name), type_of(row), row.is_list() ? "" : row.in_one_line(), what};
}

}  // namespace

std::vector<OptionDescription> described(const OptionRows& rows) {
  std::vector<OptionDescription> all;
  for (const OptionRow& row : rows) all.push_back(description_of(row));
  return all;
}

}  // namespace api
}  // namespace hexapla
