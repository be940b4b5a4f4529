#include "cli/manual/man_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace hexapla::cli {
namespace {

// Escapes text for roff: backslashes, hyphens (which it may print as another character), and a dot
// or a quote at the beginning of a line.
std::string escaped(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == '\n';
    if (begins && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\')
      out += "\\e";
    else if (text[i] == '-')
      out += "\\-";
    else
      out += text[i];
  }
  return out;
}

std::string page_name(const CommandDescription& command) {
  std::string name = command.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string uppercase(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string heading(const OptionDescription& o) {
  std::string names;
  for (const std::string& name : o.names) names += (names.empty() ? "\\fB" : ", \\fB") + escaped(name) + "\\fR";
  return o.takes_value() && !o.positional ? names + " \\fI" + escaped(o.type) + "\\fR" : names;
}

std::string text_of(const OptionDescription& o) {
  std::string text = escaped(o.help);
  if (!o.usual.empty() && o.takes_value()) text += escaped("; default: " + o.usual);
  if (!o.choices.empty() && o.help.find(o.choices.front()) == std::string::npos)
    text += escaped(fmt::format("; one of: {}", fmt::join(o.choices, ", ")));
  return text;
}

std::string synopsis(const CommandDescription& c) {
  std::string text = "\\fB" + escaped(c.name) + "\\fR";
  if (!c.commands.empty()) return text + " \\fICOMMAND\\fR [\\fIOPTION\\fR]...";
  text += " [\\fIOPTION\\fR]...";
  for (const OptionDescription& o : c.options)
    if (o.positional) text += " \\fI" + escaped(o.type.empty() ? o.names.front() : o.type) + "\\fR";
  return text;
}

std::string options_of(const CommandDescription& c) {
  std::vector<std::string> groups;
  for (const OptionDescription& o : c.options)
    if (std::find(groups.begin(), groups.end(), o.group) == groups.end()) groups.push_back(o.group);
  std::string text;
  for (const std::string& group : groups) {
    text += ".SH " + uppercase(group) + "\n";
    for (const OptionDescription& o : c.options)
      if (o.group == group) text += ".TP\n" + heading(o) + "\n" + text_of(o) + "\n";
  }
  return text;
}

// Examples of the help keep their line breaks.
std::string footer_of(const CommandDescription& c) {
  std::string text = c.footer;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? "" : ".SH NOTES AND EXAMPLES\n.nf\n" + escaped(text) + "\n.fi\n";
}

std::string commands_of(const CommandDescription& c) {
  if (c.commands.empty()) return "";
  std::string text = ".SH COMMANDS\n";
  for (const CommandDescription& inner : c.commands)
    text += ".TP\n\\fB" + escaped(inner.name.substr(inner.name.rfind(' ') + 1)) + "\\fR\n" + escaped(inner.help) +
            "; see \\fB" + escaped(page_name(inner)) + "\\fR(1)\n";
  return text;
}

}  // namespace

std::string man_page(const CommandDescription& c) {
  return fmt::format(
      ".TH {} 1 \"\" \"hexapla {}\" \"User Commands\"\n"
      ".SH NAME\n{} \\- {}\n"
      ".SH SYNOPSIS\n{}\n"
      "{}{}{}"
      ".SH EXIT STATUS\n0: done; 1: run\\-time failure (disk, memory, non\\-finite loss); 2: wrong usage; 3: data or "
      "model file; 130 and 143: stopped by a signal after saving.\n",
      uppercase(page_name(c)), HEXAPLA_VERSION, page_name(c), escaped(c.help), synopsis(c), commands_of(c),
      options_of(c), footer_of(c));
}

}  // namespace hexapla::cli
