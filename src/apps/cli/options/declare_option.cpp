#include "cli/options/declare_option.h"

#include "base/options/option_names.h"

namespace hexapla::cli {
namespace {

std::string flags_of_row(const OptionRow& row) {
  const std::string name = as_flag(row.name), alias = row.alias;
  if (alias.empty()) return name;
  return alias.size() == 1 ? "-" + alias + "," + name : name + "," + as_flag(alias);
}

Option* declare(Command& command, const OptionRow& row, const std::string& help) {
  const std::string names = flags_of_row(row);
  return std::visit(
      Overloaded{[&](bool* b) { return command.add_flag(names, *b, help); },
                 [&](std::string* s) {
                   Option* option = command.add_option(names, *s, help)->default_str(*s);
                   return row.choices() ? option->choices(*row.choices()) : option;
                 },
                 [&](const WordField& w) {
                   return command.add_option(names, *w.word, *w.choices, help)->default_str(w.text());
                 },
                 [&](std::vector<std::string>* all) {
                   Option* option = command.add_option(names, *all, help)->default_str("");
                   return row.one_by_one ? option->repeated() : option->list();
                 },
                 [&](std::vector<double>* all) {
                   return command.add_option(names, *all, std::get<Range<double>>(row.allowed), help)->default_str("");
                 },
                 [&]<class T>(T* number) {
                   const auto& range = std::get<Range<T>>(row.allowed);
                   return command.add_option(names, *number, range, help)->default_str(row.in_one_line());
                 }},
      row.field);
}

}  // namespace

Option* declare_option(Command& command, const OptionRow& row, const std::string& help) {
  Option* option = declare(command, row, help.empty() ? spell_options(row.help, as_flag) : help);
  if (*row.group != 0) option->group(row.group);
  return option;
}

}  // namespace hexapla::cli
