#include "cli/manual/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hexapla::cli {
namespace {

std::string last_word(const std::string& name) { return name.substr(name.rfind(' ') + 1); }

std::string names_of(const std::vector<CommandDescription>& commands) {
  std::string all;
  for (const CommandDescription& c : commands) all += (all.empty() ? "" : " ") + last_word(c.name);
  return all;
}

std::string flags_of(const CommandDescription& c) {
  std::string all;
  for (const OptionDescription& o : c.options)
    if (!o.positional)
      for (const std::string& name : o.names) all += (all.empty() ? "" : " ") + name;
  return all;
}

bool is_folder(const OptionDescription& o) { return o.type == "DIR"; }
bool is_number(const OptionDescription& o) {
  return o.type.starts_with("INT") || o.type.starts_with("UINT") || o.type.starts_with("FLOAT");
}

// Escaped for use in single quotes of a shell.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out;
}

// ---- bash

std::string bash_values(const OptionDescription& o) {
  if (!o.choices.empty()) return fmt::format("compgen -W '{}' -- \"$cur\"", fmt::join(o.choices, " "));
  if (is_folder(o)) return "compgen -d -- \"$cur\"";
  return is_number(o) ? "" : "compgen -f -- \"$cur\"";
}

std::string bash_case(const CommandDescription& c) {
  std::string text = fmt::format("    {})\n      case $prev in\n", last_word(c.name));
  for (const OptionDescription& o : c.options)
    if (o.takes_value() && !o.positional)
      text += fmt::format("        {}) COMPREPLY=($({})); return;;\n", fmt::join(o.names, "|"), bash_values(o));
  text += "      esac\n";
  if (!c.commands.empty())
    return text +
           fmt::format("      COMPREPLY=($(compgen -W '{} {}' -- \"$cur\"));;\n", names_of(c.commands), flags_of(c));
  return text + fmt::format(
                    "      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '{}' -- \"$cur\"))\n"
                    "      else COMPREPLY=($(compgen -f -- \"$cur\")); fi;;\n",
                    flags_of(c));
}

// ---- zsh

// Escapes characters that _arguments interprets.
std::string for_arguments(const std::string& text) {
  std::string out;
  for (const char c : quoted(text)) out += c == '[' || c == ']' || c == ':' ? std::string("\\") + c : std::string(1, c);
  return out;
}

std::string zsh_values(const OptionDescription& o) {
  if (!o.takes_value()) return "";
  if (!o.choices.empty()) return fmt::format(":{}:({})", for_arguments(o.type), fmt::join(o.choices, " "));
  const char* action = is_folder(o) ? "_files -/" : is_number(o) ? " " : "_files";
  return fmt::format(":{}:{}", for_arguments(o.type), action);
}

std::string zsh_case(const CommandDescription& c) {
  std::string text = fmt::format("    {})\n      _arguments", last_word(c.name));
  for (const OptionDescription& o : c.options)
    if (!o.positional)
      for (const std::string& name : o.names)
        text += fmt::format(" \\\n        '*{}[{}]{}'", name, for_arguments(o.help), zsh_values(o));
  text += c.commands.empty() ? " \\\n        '*:file:_files'"
                             : fmt::format(" \\\n        '1:command:({})'", names_of(c.commands));
  return text + ";;\n";
}

// ---- fish

std::string fish_values(const OptionDescription& o) {
  if (!o.takes_value()) return "";
  if (!o.choices.empty()) return fmt::format(" -x -a '{}'", fmt::join(o.choices, " "));
  if (is_folder(o)) return " -x -a '(__fish_complete_directories)'";
  return is_number(o) ? " -x" : " -r -F";
}

std::string fish_lines(const CommandDescription& c) {
  std::string text;
  for (const OptionDescription& o : c.options) {
    if (o.positional) continue;
    text += fmt::format("complete -c hexapla -n '__fish_seen_subcommand_from {}'", last_word(c.name));
    for (const std::string& name : o.names)
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    text += fmt::format(" -d '{}'{}\n", quoted(o.help), fish_values(o));
  }
  return text;
}

}  // namespace

std::string bash_completion(const CommandDescription& program) {
  std::string cases;
  for (const CommandDescription& c : program.commands) cases += bash_case(c);
  return fmt::format(
      "# bash completion of hexapla; read it with: source <(hexapla completion bash)\n"
      "_hexapla() {{\n"
      "  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  local IFS=$' \\t\\n'\n"
      "  if [[ $COMP_CWORD == 1 ]]; then COMPREPLY=($(compgen -W '{} {}' -- \"$cur\")); return; fi\n"
      "  case ${{COMP_WORDS[1]}} in\n{}  esac\n"
      "}}\n"
      "complete -o filenames -F _hexapla hexapla\n",
      names_of(program.commands), flags_of(program), cases);
}

std::string zsh_completion(const CommandDescription& program) {
  std::string names, cases;
  for (const CommandDescription& c : program.commands) {
    names += fmt::format(" \\\n      '{}:{}'", last_word(c.name), quoted(c.help));
    cases += zsh_case(c);
  }
  return fmt::format(
      "#compdef hexapla\n"
      "# zsh completion of hexapla; put it into a folder of $fpath as _hexapla\n"
      "_hexapla() {{\n"
      "  if (( CURRENT == 2 )); then\n"
      "    local -a commands=({})\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  shift words; (( CURRENT-- ))\n"
      "  case $words[1] in\n{}  esac\n"
      "}}\n"
      "compdef _hexapla hexapla\n",
      names, cases);
}

std::string fish_completion(const CommandDescription& program) {
  std::string text = "# fish completion of hexapla; put it into ~/.config/fish/completions/hexapla.fish\n";
  for (const CommandDescription& c : program.commands)
    text += fmt::format("complete -c hexapla -n __fish_use_subcommand -f -a {} -d '{}'\n", last_word(c.name),
                        quoted(c.help));
  for (const CommandDescription& c : program.commands) text += fish_lines(c);
  return text;
}

}  // namespace hexapla::cli
