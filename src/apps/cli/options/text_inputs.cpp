#include "cli/options/text_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "cli/command/parser.h"

namespace hexapla::cli {
namespace {

constexpr auto kTextInput = "text input", kBesideStdin = "text input besides stdin";

Validator mark(const char* name) {
  return {[](const std::string&) {}, name};
}

bool marked(CLI::Option& option, const char* name) {
  try {
    option.get_validator(name);
    return true;
  } catch (const CLI::OptionNotFound&) {
    return false;
  }
}

void check_readers(CLI::App& command) {
  std::vector<std::string> readers;
  for (CLI::Option* option : command.get_options()) {
    const bool beside = marked(*option, kBesideStdin);
    if (option->empty() || !(beside || marked(*option, kTextInput))) continue;
    const auto& files = option->reduced_results();
    const auto times = static_cast<size_t>(std::count(files.begin(), files.end(), "-"));
    if (beside && times > 0) readers.emplace_back("the lines to be translated");
    readers.insert(readers.end(), times, option->get_name());
  }
  if (readers.size() > 1)
    throw UsageError(fmt::format("stdin ('-') can be read only once, but it is named for {}; name files instead",
                                 fmt::join(readers, " and for ")));
  for (CLI::App* chosen : command.get_subcommands()) check_readers(*chosen);
}

}  // namespace

Validator text_input() { return mark(kTextInput); }
Validator text_input_beside_stdin() { return mark(kBesideStdin); }

void check_readers_of_stdin(const Command& app) { check_readers(app.parser()); }

}  // namespace hexapla::cli
