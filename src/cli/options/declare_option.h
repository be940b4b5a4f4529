#pragma once
// Turns options that the library declares (visit() of a set of options) into options of a command.
#include <fmt/format.h>

#include <string>

#include "cli/command/command.h"

namespace hexapla::cli {

// Declares one: a switch, a number with its range, a list, or a word with its choices.
template <class T, class Allowed>
Option* declare_option(Command& command, const std::string& names, T& field, const std::string& help,
                       const Allowed& allowed) {
  if constexpr (std::is_same_v<T, bool>)
    return command.add_flag(names, field, help);
  else if constexpr (std::is_same_v<T, std::vector<double>>)
    return command.add_option(names, field, allowed, help)->default_str("");
  else if constexpr (is_list<T>)
    return command.add_option(names, field, help)->list()->default_str("");
  else if constexpr (holds_number<T>)
    return command.add_option(names, field, allowed, help)
        ->default_str(allowed.zero && field == 0 ? allowed.zero : fmt::format("{}", field));
  else if constexpr (is_word<T>)
    return command.add_option(names, field, help)->default_str(field);
  else if constexpr (std::is_same_v<Allowed, Choices>)
    return command.add_option(names, field, help)->default_str(field)->choices(allowed);
  else
    return command.add_option(names, field, help)->default_str(field);
}

// The condition that a set of options declares for one of them, evaluated when called.
template <class Options>
std::function<When()> condition_of(const Options& options, const std::string& name) {
  return [&options, name] {
    When found;
    visit_conditions(options, [&](const std::string& other, const auto&, const When& when) {
      if (other == name) found = when;
    });
    return found;
  };
}

}  // namespace hexapla::cli
