// hexapla man, hexapla completion: manual pages and shell completion from the declared options.
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "base/error.h"
#include "base/files/disk.h"
#include "base/files/file.h"
#include "cli/command/command.h"
#include "cli/manual/completion.h"
#include "cli/manual/man_page.h"

namespace hexapla::cli {
namespace {

namespace fs = std::filesystem;

// The program, then every command, in the order of the help.
std::vector<CommandDescription> all_of(const CommandDescription& command) {
  std::vector<CommandDescription> all{command};
  for (const CommandDescription& inner : command.commands)
    for (CommandDescription& one : all_of(inner)) all.push_back(std::move(one));
  return all;
}

std::string with_dashes(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

struct Man {
  std::vector<std::string> words;
  std::string folder;

  int run() const {
    const std::vector<CommandDescription> all = all_of(describe_program());
    if (!folder.empty() && !words.empty())
      throw UsageError("`all` writes the pages of every command, but " + words[0] +
                       " names one: leave one of them out");
    if (!folder.empty()) return write(all);
    std::string name = "hexapla";
    for (const std::string& word : words) name += " " + word;
    for (const CommandDescription& command : all)
      if (command.name == name) {
        std::cout << man_page(command);
        return 0;
      }
    throw UsageError("there is no command '" + name + "'; 'hexapla --help' lists them");
  }

  int write(const std::vector<CommandDescription>& all) const {
    make_folder(folder);
    for (const CommandDescription& command : all)
      write_file_atomically((fs::path(folder) / (with_dashes(command.name) + ".1")).string(), man_page(command));
    return 0;
  }
};

int complete(const std::string& shell) {
  const CommandDescription program = describe_program();
  std::cout << (shell == "bash"  ? bash_completion(program)
                : shell == "zsh" ? zsh_completion(program)
                                 : fish_completion(program));
  return 0;
}

}  // namespace

void add_man(Command& app, Action& chosen) {
  auto man = std::make_shared<Man>();
  Command* c = app.add_command("man", "the manual page of the program or of a command");
  c->add_option("command", man->words, "the command; none: the program")->type_name("COMMAND")->expected(0, 2);
  c->add_option("--all", man->folder, "write the pages of all commands into this folder instead")->type_name("DIR");
  c->footer(
      "Examples:\n"
      "  hexapla man train | man -l -\n"
      "  hexapla man --all ~/.local/share/man/man1");
  c->callback([man, &chosen] { chosen = [man] { return man->run(); }; });
}

void add_completion(Command& app, Action& chosen) {
  auto shell = std::make_shared<std::string>();
  const Choices shells{"bash", "zsh", "fish"};
  Command* c = app.add_command("completion", "completion of commands and options for a shell");
  c->add_option("shell", *shell, "bash, zsh or fish")
      ->type_name("SHELL")
      ->required()
      ->choices(shells)
      ->check({[shells](const std::string& word) {
        if (std::find(shells.begin(), shells.end(), word) == shells.end())
          throw UsageError(cat("SHELL is '", word, "', but must be bash, zsh or fish"));
      }});
  c->footer(
      "Examples:\n"
      "  source <(hexapla completion bash)                                # in ~/.bashrc\n"
      "  hexapla completion zsh > ~/.zfunc/_hexapla                       # a folder of $fpath\n"
      "  hexapla completion fish > ~/.config/fish/completions/hexapla.fish");
  c->callback([shell, &chosen] { chosen = [shell] { return complete(*shell); }; });
}

}  // namespace hexapla::cli
