#include "cli/options/search_options.h"

#include <algorithm>

#include "base/error.h"
#include "base/options/device_option.h"
#include "base/options/option_names.h"
#include "cli/options/declare_option.h"
#include "cli/options/text_inputs.h"

namespace hexapla::cli {

Option* bind_models(Command& command, std::vector<std::string>& models, ModelOptions& how, const std::string& help) {
  Option* option =
      command.add_option("-m,--model", models, help)->type_name("MODEL")->expected(1)->take_all()->repeated();
  const auto of_several = [&models] {
    return When{models.size() > 1, "is for several models: name them with `model`, or leave it out"};
  };
  command
      .add_option("--ensemble", how.ensemble,
                  "how an ensemble combines its models: linear (mean of probabilities) or log-linear")
      ->default_str("linear")
      ->group("Model")
      ->when(of_several);
  command
      .add_option("--weights", how.weights, ranges::kModelWeight,
                  "weight of each model of an ensemble, as in --weights 2,1")
      ->delimiter(',')
      ->group("Model")
      ->when(of_several);
  return option;
}

Option* bind_device(Command& command, std::string& device) {
  return command.add_option("--device", device, kDeviceHelp)->default_str("cpu");
}

Option* bind_glossary(Command& command, std::string& path) {
  return command
      .add_option("--glossary", path,
                  "terms, one per line: source, a tab, translation or its forms (Hund|Hunde); for each occurrence of a "
                  "source, the translation contains one of its forms")
      ->check(text_input_beside_stdin())
      ->type_name("FILE")
      ->group("Constraints");
}

std::vector<GivenOption> given_words(const Command& command, const std::vector<std::string>& names) {
  std::vector<GivenOption> given;
  for (const Option& option : command.options())
    if (const std::string name = option.name();
        option.count() > 0 && std::find(names.begin(), names.end(), name) != names.end())
      given.push_back({name, option.words().empty() ? std::vector<std::string>{"true"} : option.words()});
  return given;
}

Options given_options(const Command& command, const OptionRows& rows) {
  Options given;
  for (const OptionRow& row : rows)
    if (command.was_given(as_flag(row.name)))
      given.emplace(row.name, row.is_list() ? OptionValue(row.words()) : OptionValue(row.in_one_line()));
  return given;
}

Options given_search(const Command& command, const decode::DecodingOptions& options, ModelOptions& how) {
  if (command.was_given("--precision")) how.precision = options.precision;
  return given_options(command, without(rows_of(options), {"precision"}));
}

std::function<bool(const std::string& option)> given_in(const Command& command) {
  return [&command](const std::string& option) { return command.was_given("--" + option); };
}

}  // namespace hexapla::cli
