#include "cli/options/search_options.h"

#include <algorithm>

#include "base/error.h"
#include "base/options/option_names.h"
#include "cli/options/declare_option.h"

namespace hexapla::cli {
namespace {

// With the short and the other names of an option.
std::string flags_of(const std::string& name) {
  if (name == "beam-size") return "-b,--beam-size";
  if (name == "batch-sentences") return "--batch-sentences,--batch-size";
  if (name == "max-repetition") return "--max-repetition,--max-stutter";
  return "--" + name;
}

auto declare_in(Command& command) {
  return [&command](const std::string& name, auto& field, const std::string& help, const auto& allowed) {
    Option* option = declare_option(command, flags_of(name), field, spell_options(help, as_flag), allowed);
    if constexpr (std::same_as<std::remove_cvref_t<decltype(allowed)>, Choices>) option->check(one_of(name, allowed));
    return option;
  };
}

}  // namespace

void bind_options(Command& command, decode::ScoringOptions& options) {
  decode::ScoringOptions::visit(options, declare_in(command));
}
void bind_options(Command& command, decode::BeamOptions& options) {
  decode::BeamOptions::visit(options, declare_in(command));
}
void bind_options(Command& command, decode::BeamOptions& options, const std::vector<std::string>& names) {
  decode::BeamOptions::visit(options, [&](const std::string& name, auto& field, const auto& help, const auto& allowed) {
    if (std::find(names.begin(), names.end(), name) != names.end()) declare_in(command)(name, field, help, allowed);
  });
}
void bind_n_best(Command& command, decode::BeamOptions& options) {
  decode::BeamOptions::visit_n_best(
      options, [&](const std::string& name, auto& field, const std::string& help, const auto& allowed) {
        declare_in(command)(name, field, help + ": N ||| text ||| F0= score ||| normalized score", allowed);
      });
}

std::function<bool(const std::string& option)> given_in(Command& command) {
  return [&command](const std::string& option) { return command.was_given("--" + option); };
}

void bind_options(Command& command, decode::SampleOptions& options) {
  decode::SampleOptions::visit(options, declare_in(command));
  Option* const on = command.get_option("--sample");
  decode::SampleOptions::visit(options, [&](const std::string& name, const auto&...) {
    if (name != "sample") command.get_option("--" + name)->needs(on);
  });
  on->excludes(command.get_option("--beam-size"));
}

}  // namespace hexapla::cli
