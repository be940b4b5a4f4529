#pragma once
// Turns options that the library declares in rows into options of a command.
#include <functional>
#include <string>

#include "base/options/option_row.h"
#include "cli/command/command.h"

namespace hexapla::cli {

// Declares one: a switch, a number with its range, a list, or a word with its choices. help: "" for that of the row.
Option* declare_option(Command& command, const OptionRow& row, const std::string& help = "");

// The condition of an option of the set, evaluated when called.
template <class Set>
std::function<When()> condition_of(const Set& options, const std::string& name) {
  return [&options, name] { return find(rows_of(options), name)->when; };
}

}  // namespace hexapla::cli
