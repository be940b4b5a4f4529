#include "cli/manual/description.h"

#include "cli/command/parser.h"

namespace hexapla::cli {
namespace {

OptionDescription describe(const CLI::Option& option, const Command& command) {
  OptionDescription d;
  for (const std::string& name : option.get_snames()) d.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) d.names.push_back("--" + name);
  d.positional = d.names.empty();
  if (d.positional) d.names.push_back(option.get_name(true));
  if (option.get_items_expected_max() > 0) d.type = option.get_type_name();
  d.help = option.get_description();
  d.usual = option.get_default_str();
  d.group = option.get_group();
  for (const Option& own : command.options())
    if (&own.parsed() == &option) d.choices = own.choices();
  return d;
}

}  // namespace

CommandDescription describe(const Command& command, const std::string& name) {
  CommandDescription d{name, command.parser().get_description(), command.parser().get_footer(), {}, {}};
  const CLI::App& parser = command.parser();
  for (const CLI::Option* option : parser.get_options()) d.options.push_back(describe(*option, command));
  for (const Command& inner : command.commands())
    d.commands.push_back(describe(inner, name + " " + inner.parser().get_name()));
  return d;
}

CommandDescription describe_program() {
  Command app("train Transformers, translate with them, and look inside", "hexapla");
  Action nothing;
  add_commands(app, nothing);
  return describe(app);
}

}  // namespace hexapla::cli
