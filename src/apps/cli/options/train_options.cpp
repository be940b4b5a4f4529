#include "cli/options/train_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "base/error.h"
#include "base/nearest.h"
#include "base/options/option_names.h"
#include "cli/command/parser.h"
#include "cli/options/declare_option.h"
#include "cli/options/text_inputs.h"

namespace hexapla::cli {
namespace {

// Whether the option names text files, not a model or a program.
bool names_text(const std::string& name) {
  return name == "train-sets" || name == "valid-sets" || name == "guided-alignment";
}

std::string type_of_value(const std::string& name) {
  if (name == "model") return "DIR";
  if (name == "vocab" || name == "guided-alignment") return "FILE";
  if (name == "init-from") return "MODEL";
  if (name == "train-sets" || name == "valid-sets" || name == "vocabs") return "SOURCE TARGET";
  if (name == "temp-dir") return "DIR";
  if (name == "valid-script") return "PROGRAM";
  return "";
}

// Sets an option of the program itself, such as --quiet; the command line takes precedence.
void set_own(const GivenOption& given, CLI::Option& option) {
  if (option.count() > 0) return;
  if (option.get_items_expected_max() <= 1) refuse_list(given);
  try {
    for (const std::string& v : given.values) option.add_result(v);
    option.run_callback();
  } catch (const std::exception& e) {
    throw UsageError(cat(given.location, ": '", given.name, "' cannot be ", given.values.front(), ": ", e.what()));
  }
}

}  // namespace

std::string nearest_option(const Command& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.parser().get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  return nearest(names, word);
}

std::string nearest_command(const Command& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.parser().get_subcommands({})) names.push_back(command->get_name());
  return nearest(names, word);
}

void bind_train_options(Command& command, BoundTrainOptions& b) {
  command.add_option("-c,--config", b.config_file, "YAML file whose keys are long option names")->type_name("FILE");
  const std::set<std::string> of_recipes = train::options_of_recipes();
  const auto declare = [&](const OptionRow& row, const std::string& help = "") {
    Option* option = declare_option(command, row, help);
    if (of_recipes.contains(row.name)) option->default_str("(preset)");
    if (const std::string type = type_of_value(row.name); !type.empty()) option->type_name(type);
    if (names_text(row.name)) option->check(text_input());
    return option;
  };
  for (const OptionRow& row : b.options.rows()) declare(row);
  command.add_option("--layers", b.layers, model::Config::kLayers, train::kLayersHelp)
      ->default_str("(preset)")
      ->group("Model");
  b.architecture = b.options.architecture;
  for (const OptionRow& row : b.architecture.rows()) {
    std::string help = spell_options(row.help, as_flag);
    if (row.choices()) help += fmt::format(": {}", fmt::join(*row.choices(), ", "));
    declare(row, help)->group("Model");
  }
}

std::vector<GivenOption> given_train_options(Command& command, BoundTrainOptions& b) {
  const std::vector<std::string> names = train::names_of_options();
  std::vector<GivenOption> all;
  if (!b.config_file.empty())
    for (GivenOption& given : train::read_options_file(b.config_file)) {
      CLI::Option* own =
          declared_name(given.name, names) ? nullptr : command.parser().get_option_no_throw("--" + given.name);
      if (own && given.name != "config" && given.name != "help")
        set_own(given, *own);
      else
        all.push_back(std::move(given));
    }
  for (const std::string& name : names)
    if (const CLI::Option* option = command.parser().get_option("--" + name); option->count() > 0)
      all.push_back({name, option->reduced_results()});
  return all;
}

train::TrainOptions resolve_train_options(Command& command, BoundTrainOptions& b) {
  train::TrainOptions options = train::resolve_options(given_train_options(command, b)).options;
  train::refuse_own_config(b.config_file, options);
  return options;
}

}  // namespace hexapla::cli
