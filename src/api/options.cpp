#include "api/options.h"

#include <fmt/format.h>

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

}  // namespace api
}  // namespace hexapla
