#include <poll.h>
#include <unistd.h>

#include "cli/run.h"
#include "lib/training/options.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <list>
#include <new>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/files/disk.h"
#include "base/files/shell_word.h"
#include "base/system/machine.h"
#include "cli/command/command.h"
#include "cli/command/parser.h"
#include "cli/options/output_files.h"
#include "cli/options/text_inputs.h"
#include "cli/options/train_options.h"
#include "cli/terminal/help_format.h"
#include "cli/terminal/terminal.h"

namespace hexapla::cli {
namespace {

void complain(const std::string& message) { say_on_stderr("hexapla: error: " + message + "\n"); }

// The chosen subcommand, or the program itself.
const Command& named(const Command& app) {
  for (const Command& command : app.commands())
    if (command.parser().parsed()) return named(command);
  return app;
}
std::string words_to_chosen(const Command& app) {
  for (const Command& command : app.commands())
    if (command.parser().parsed()) return cat(" ", command.parser().get_name(), words_to_chosen(command));
  return "";
}

std::string did_you_mean(const std::string& what) { return what.empty() ? "" : "; did you mean " + what + "?"; }

bool names_settings(const std::string& file) { return file.ends_with(".yml") || file.ends_with(".yaml"); }

// Message for a word that no positional argument takes.
std::string one_too_many(const Command& command, const std::string& word) {
  const std::string file = shell_word(word);
  return cat("'", word, "' is one argument too many",
             command.has("--config") && names_settings(word) ? cat("; give a file of settings as -c ", file)
             : command.has("--input") ? cat("; text comes from stdin, < ", file, ", or from --input ", file)
                                      : "");
}

// Message for an argument that nothing takes. CLI11 would list it and its neighbors in reverse.
std::string unexpected(const Command& app, const Command& command, std::string word) {
  if (word.front() != '-') {
    if (command.commands().empty()) return one_too_many(command, word);
    return cat("unknown ", &command == &app ? "" : command.parser().get_name() + " ", "command '", word, "'",
               did_you_mean(nearest_command(command, word)));
  }
  word = word.substr(0, word.find('='));
  const std::string bare = word.substr(word.find_first_not_of('-') == 2 ? 2 : 1);
  if (const std::string why = train::why_removed(bare); !why.empty()) return cat(word, " ", why);
  const std::string near = bare.size() < 2 ? "" : nearest_option(command, bare);
  return cat("unknown option ", word, did_you_mean(near.empty() ? "" : "--" + near));
}

// The first argument that may have been meant as a command; "" if there is none.
std::string first_word(const Command& command) {
  if (command.commands().empty()) return "";
  for (const std::string& word : command.parser().remaining())
    if (!word.empty() && word.front() != '-') return word;
  return "";
}

// An option before the command; "" if there is none.
std::string too_early(const Command& app) {
  if (&named(app) == &app) return "";
  for (const std::string& word : app.parser().remaining())
    if (word.starts_with('-')) return word;
  return "";
}

// Message for an argument that is missing or has too few words, in the words of the usage line; "" for other errors.
std::string missing(const Command& command, const CLI::ParseError& e) {
  const std::string what = e.what();
  for (const CLI::Option* option : command.parser().get_options()) {
    const bool positional = option->get_positional();
    const std::string name = option->get_name(positional), shown = positional ? words_of(*option) : name;
    if (what == name + " is required") return cat(shown, " is missing: ", option->get_description());
    if (!what.starts_with(name + ": ") || what.find("required but received") == what.npos) continue;
    return cat("give ", positional ? "" : name + " ", words_of(*option), ": ", option->get_description());
  }
  return "";
}

// A word whose option was meant to begin with two dashes (-beam-size), or whose dash is that of a word processor; "" if
// there is none.
std::string wrong_dashes(const Command& command, int argc, const char* const* argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string word = argv[i];
    const bool typeset = word.starts_with("\u2013") || word.starts_with("\u2014");  // en dash, em dash
    if (!typeset && !word.starts_with('-')) continue;
    const std::string bare = word.substr(typeset ? 3 : 1, word.find('=') - (typeset ? 3 : 1));
    const std::string meant = cat(bare.size() > 1 ? "--" : "-", bare);
    if (command.has(meant) && meant != word.substr(0, word.find('=')))
      return cat("unknown option ", word, did_you_mean(meant));
  }
  return "";
}

std::string names_of_commands(const std::list<Command>& commands) {
  std::string all;
  for (const Command& command : commands) all += (all.empty() ? "" : ", ") + command.parser().get_name();
  return all;
}

int complain_about_usage(const Command& app, const std::string& what) {
  complain(cat(what, "\nSee 'hexapla", words_to_chosen(app), " --help'."));
  return 2;
}

std::string what_of(const Command& app, const CLI::ParseError& e) {
  const Command& command = named(app);
  const std::vector<std::string> rest = command.parser().remaining(true);
  if (const std::string option = too_early(app); !option.empty())
    return cat(option, " is before the command; give options after it: hexapla", words_to_chosen(app), " ", option);
  const bool unknown = !rest.empty() && !rest.front().empty();
  const bool no_command = dynamic_cast<const CLI::RequiredError*>(&e) && !command.commands().empty();
  if (unknown && (no_command || rest.front().front() == '-' || dynamic_cast<const CLI::ExtrasError*>(&e)))
    return unexpected(app, command, rest.front());
  if (no_command) return cat("no command given; choose one of ", names_of_commands(command.commands()));
  const std::string what = missing(command, e);
  if (what.empty()) return e.what();
  const bool model = what.starts_with("--model is missing") && unknown;
  return cat(what, did_you_mean(model ? "--model " + shell_word(rest.front()) : ""));
}

void last_one_counts(const Command& app) {
  for (const Option& option : app.options())
    if (option.takes_one_word()) option.parsed().multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  for (const Command& command : app.commands()) last_one_counts(command);
}

// Reports data that could not be written to stdout, unless the reader (head) closed the pipe.
int with_stdout_written(int code) {
  if (std::cout.flush() && std::fflush(stdout) == 0) return code;
  pollfd reader{STDOUT_FILENO, POLLOUT, 0};
  if (poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR)) return 1;
  complain("cannot write all of the output; if it goes to a file, check whether the disk is full");
  return 1;
}

int complain_about_defect(const std::exception& e) {
  complain(cat("internal: ", e.what(), "\nThis is a bug in hexapla: please report it with the command that you gave."));
  return 1;
}

void complain_about_memory() {
  try {
    complain(cat("out of memory: ", why_memory_was_refused(0),
                 "; smaller batches (--batch-tokens, --batch-size) and a ", "smaller model take less"));
  } catch (const std::bad_alloc&) {  // not even memory for the message
    std::fputs("hexapla: error: out of memory\n", stderr);
  }
}

// Refuses what the command and, recursively, its chosen subcommands were given in vain.
void refuse_in_vain(const Command& command) {
  command.refuse_repeated();
  command.refuse_idle();
  for (const Command& sub : command.commands())
    if (sub.parser().parsed()) refuse_in_vain(sub);
}

int exit_code(const UserError& e) {
  if (dynamic_cast<const UsageError*>(&e)) return 2;
  return dynamic_cast<const DataError*>(&e) ? 3 : 1;
}

int perform(const Action& chosen) {
  try {
    return with_stdout_written(chosen());
  } catch (const OutOfMemory& e) {
    if (!std::string_view(e.what()).starts_with("out of memory"))
      complain(e.what());
    else
      complain_about_memory();  // names the limit, which the library's general advice does not
  } catch (const UserError& e) {
    complain(e.what());
    return exit_code(e);
  } catch (const std::bad_alloc&) {
    complain_about_memory();
  } catch (const std::filesystem::filesystem_error& e) {
    return perform([&]() -> int { fail_path(e); });
  } catch (const std::system_error& e) {
    if (e.code() != std::errc::resource_unavailable_try_again) return complain_about_defect(e);
    complain(cat("the system refuses to start more threads: ", why_memory_was_refused(0),
                 "; processes may be limited, too ", "(ulimit -u)"));
  } catch (const std::exception& e) {
    return complain_about_defect(e);
  }
  return 1;
}

struct Entry {
  std::string_view name;
  void (*add)(Command& app, Action& chosen);
};
constexpr Entry kCommands[] = {
    {"train", add_train},
    {"distill", add_distill},
    {"translate", add_translate},
    {"document", add_document},
#ifndef HEXAPLA_NO_SERVER
    {"serve", add_serve},
    {"explain", add_explain},
#endif
    {"join", add_join},
    {"score", add_score},
    {"evaluate", add_evaluate},
    {"data", add_data},
    {"inspect", add_inspect},
    {"augment", add_augment},
    {"average", add_average},
    {"set", add_set},
    {"shortlist", add_shortlist},
    {"export", add_export},
    {"quantize", add_quantize},
    {"import", add_import},
    {"info", add_info},
    {"compare", add_compare},
    {"replay", add_replay},
    {"reproduce", add_reproduce},
    {"doctor", add_doctor},
    {"bench", add_bench},
    {"demo", add_demo},
    {"lab", add_lab},
    {"man", add_man},
    {"completion", add_completion},
};

}  // namespace

void add_commands(Command& app, Action& chosen, std::string_view only) {
  app.parser().require_subcommand(0, 1);
  app.parser().set_version_flag("--version", std::string("hexapla ") + HEXAPLA_VERSION);
  app.footer(
      "Start here:\n"
      "  hexapla demo                 train a small Transformer on dates and look inside it\n"
      "  hexapla train --help         train a model of your own: two files, line i translates line i\n"
      "  hexapla import --help        use a model that somebody else trained, such as opus-mt\n"
      "  hexapla COMMAND --help       options and examples of a command\n");
  const bool one =
      std::any_of(std::begin(kCommands), std::end(kCommands), [&](const Entry& e) { return e.name == only; });
  for (const Entry& entry : kCommands)
    if (!one || entry.name == only) entry.add(app, chosen);
  for (CLI::App* command : app.parser().get_subcommands({})) command->footer(command->get_footer() + "\n");
  last_one_counts(app);
  format_help(app);
}

int run(int argc, const char* const* argv) try {
  if (argc > 1 && std::string_view(argv[1]) == "help") {  // help COMMAND means COMMAND --help
    std::vector<const char*> words(argv, argv + argc);
    words.erase(words.begin() + 1);
    words.push_back("--help");
    return run(static_cast<int>(words.size()), words.data());
  }
  Command app("hexapla: the Transformer of 'Attention Is All You Need', from text to model to translation", "hexapla");
  Action chosen;
  add_commands(app, chosen, argc > 1 ? argv[1] : "");
  const auto misread = [&](const std::string& what) {
    const std::string better = wrong_dashes(named(app), argc, argv);
    return complain_about_usage(app, better.empty() ? what : better);
  };
  try {
    app.parser().parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {  // --help, --version
      const std::string unknown = first_word(named(app));
      return unknown.empty() ? app.parser().exit(e) : complain_about_usage(app, unexpected(app, named(app), unknown));
    }
    return misread(what_of(app, e));
  } catch (const UsageError& e) {  // a number out of its range
    return misread(e.what());
  }
  if (!chosen) {
    std::fputs(app.parser().help().c_str(), stdout);
    return argc > 1 ? 2 : 0;
  }
  return perform([&] {
    check_readers_of_stdin(app);
    check_outputs(app);
    refuse_in_vain(app);
    return chosen();
  });
} catch (const std::bad_alloc&) {  // not even memory for the options
  complain_about_memory();
  return 1;
}

}  // namespace hexapla::cli
