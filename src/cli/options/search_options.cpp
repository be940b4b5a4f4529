#include "cli/options/search_options.h"

#include <algorithm>

#include "base/error.h"
#include "base/options/device_option.h"
#include "base/options/option_names.h"
#include "cli/options/declare_option.h"
#include "cli/options/text_inputs.h"

namespace hexapla::cli {
namespace {

// The names of an option, with its short name and aliases.
std::string flags_of(const std::string& name) {
  if (name == "beam-size") return "-b,--beam-size";
  if (name == "batch-sentences") return "--batch-sentences,--batch-size";
  if (name == "letter-case") return "--letter-case,--case";
  if (name == "max-repetition") return "--max-repetition,--max-stutter";
  return "--" + name;
}

// options: the set that they belong to, whose values decide which of them have an effect.
template <class Options>
auto declare_in(Command& command, const Options& options) {
  return [&](const std::string& name, auto& field, const std::string& help, const auto& allowed, const When&) {
    Option* option = declare_option(command, flags_of(name), field, spell_options(help, as_flag), allowed);
    if (name == "protect-pattern") option->repeated();  // words after it belong to the command
    option->when(condition_of(options, name));
  };
}

}  // namespace

void bind_options(Command& command, decode::ScoringOptions& options) {
  decode::ScoringOptions::visit(options, declare_in(command, options));
}
void bind_options(Command& command, decode::BeamOptions& options) {
  decode::BeamOptions::visit(options, declare_in(command, options));
}
void bind_options(Command& command, decode::BeamOptions& options, const std::vector<std::string>& names) {
  decode::BeamOptions::visit(
      options, [&](const std::string& name, auto& field, const auto& help, const auto& allowed, const When& when) {
        if (std::find(names.begin(), names.end(), name) != names.end())
          declare_in(command, options)(name, field, help, allowed, when);
      });
}
void bind_options(Command& command, decode::DecodingOptions& options) {
  decode::BeamOptions::visit(options, declare_in(command, options));
  decode::SampleOptions::visit(options, declare_in(command, options));
}
void bind_kind(Command& command, api::ExportOptions& options) {
  api::ExportOptions::visit_kind(options, declare_in(command, options));
}
void bind_search(Command& command, api::ExportOptions& options) {
  api::ExportOptions::visit_search(options, declare_in(command, options));
}
void bind_n_best(Command& command, decode::BeamOptions& options) {
  decode::BeamOptions::visit_n_best(options, [&](const std::string& name, auto& field, const std::string& help,
                                                 const auto& allowed, const When& when) {
    declare_in(command, options)(name, field, help + ": N ||| text ||| F0= score ||| normalized score", allowed, when);
  });
}

Option* bind_models(Command& command, std::vector<std::string>& models, const std::string& help) {
  return command.add_option("-m,--model", models, help)->type_name("MODEL")->expected(1)->take_all()->repeated();
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
      ->type_name("FILE");
}

std::vector<GivenOption> given_words(const Command& command, const std::vector<std::string>& names) {
  std::vector<GivenOption> given;
  for (const Option& option : command.options())
    if (const std::string name = option.name();
        option.count() > 0 && std::find(names.begin(), names.end(), name) != names.end())
      given.push_back({name, option.words().empty() ? std::vector<std::string>{"true"} : option.words()});
  return given;
}

std::function<bool(const std::string& option)> given_in(const Command& command) {
  return [&command](const std::string& option) { return command.was_given("--" + option); };
}

}  // namespace hexapla::cli
