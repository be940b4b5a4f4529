#include "cli/terminal/help_format.h"

#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/classic.h"
#include "base/error.h"
#include "base/options/option_names.h"
#include "cli/command/parser.h"
#include "cli/terminal/terminal.h"
#include "lib/display.h"

namespace hexapla::cli {
namespace {

constexpr int kWidest = 100;
constexpr size_t kDescription = 30;  // column where CLI11 begins an option's description

size_t blanks_before(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

// The indent of a line's continuation.
size_t indent_of(const std::string& line) {
  const size_t blanks = blanks_before(line);
  const bool option = line.starts_with("  -");  // its name may reach to the blank before the description
  const bool described = blanks > 0 && line.size() > kDescription && line[kDescription - 1] == ' ' &&
                         line[kDescription] != ' ' && (option || line.find("  ", blanks) < kDescription);
  return described ? kDescription : blanks >= kDescription || blanks == 0 ? blanks : blanks + 4;
}

bool is_command(const std::string& line) {
  return line.starts_with("  hexapla ") || line.starts_with("  echo ") || line.starts_with("  mpirun ");
}

// The end of the words of a line that fit into `columns`, at a blank.
size_t end_of_fitting(const std::string& line, size_t from, int columns) {
  size_t end = from;
  for (size_t at = line.find(' ', from + 1); end < line.size(); at = line.find(' ', at + 1)) {
    const size_t next = std::min(at, line.size());
    if (text::width(line.substr(0, next)) > columns && end > from) break;
    end = next;
    if (text::width(line.substr(0, next)) > columns) break;
  }
  return end;
}

void wrap_line(std::string line, int columns, std::string& out) {
  const size_t indent = indent_of(line);
  const bool command = is_command(line);
  while (text::width(line) > columns) {
    const size_t end = end_of_fitting(line, std::max(blanks_before(line), size_t{1}), columns - (command ? 2 : 0));
    if (end >= line.size()) break;
    out += line.substr(0, end) + (command ? " \\\n" : "\n");
    line = std::string(indent, ' ') + line.substr(std::min(line.find_first_not_of(' ', end), line.size()));
  }
  out += line + "\n";
}

bool is_prose(const std::string& line) {
  return !line.empty() && line.front() != ' ' && line.back() != ':' && !line.starts_with("Usage:");
}

class Formatter final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    const int columns = isatty(STDOUT_FILENO) ? std::min(stdout_width(), kWidest) : kWidest;
    const std::string help = CLI::Formatter::make_help(app, std::move(name), mode);
    return mode == CLI::AppFormatMode::Sub ? help : wrapped(spell_options(help, as_flag), columns);
  }
  std::string make_option_usage(const CLI::Option* positional) const override {
    const std::string words = words_of(*positional);
    return positional->get_required() ? words : "[" + words + "]";
  }
  // In the list of positional arguments, too: their words as in the usage line.
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    return positional ? words_of(*option) : CLI::Formatter::make_option_name(option, false);
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_positional()) return "";
    std::string opts = CLI::Formatter::make_option_opts(option);
    const std::string type = " " + option->get_type_name(), times = cat(type, " x ", option->get_expected_min());
    if (type.find(' ', 1) != type.npos && opts.starts_with(times)) opts.erase(type.size(), times.size() - type.size());
    // CLI11 2.3 writes "TEXT=usual", 2.4 "TEXT [usual] ".
    const std::string usual = option->get_default_str(), bracketed = cat(" [", usual, "] ");
    if (const size_t at = opts.find(bracketed); at != opts.npos) opts.replace(at, bracketed.size(), "=" + usual);
    return opts;
  }
};

}  // namespace

std::string words_of(const CLI::Option& positional) {
  const std::string type = positional.get_type_name();
  const std::string words = type.empty() || type == "TEXT" ? positional.get_name(true) : type;
  const bool open = positional.get_expected_max() >= CLI::detail::expected_max_vector_size;
  return open && !words.ends_with("...") ? words + "..." : words;
}

std::string wrapped(const std::string& help, int columns) {
  std::string out, prose;
  const auto flush = [&] {
    if (!prose.empty()) wrap_line(std::exchange(prose, ""), columns, out);
  };
  Classic<std::istringstream> lines(help);
  for (std::string line; std::getline(lines, line);) {
    if (!is_prose(line)) flush();
    if (is_prose(line))
      prose += (prose.empty() ? "" : " ") + line;
    else
      wrap_line(line, columns, out);
  }
  flush();
  return out;
}

void format_help(const Command& command) {
  const auto formatter = std::make_shared<Formatter>();
  formatter->label("SUBCOMMAND", "COMMAND");
  command.parser().formatter(formatter);
  for (const Command& sub : command.commands()) format_help(sub);
}

}  // namespace hexapla::cli
