#pragma once
// Options as a user gave them, in words, from a command line, a file or a request.
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/options/option_row.h"

namespace hexapla {

struct GivenOption {
  std::string name;                 // "lr"; "layers" sets both stacks
  std::vector<std::string> values;  // as users write them; for a switch "true" or "false"
  std::string location = {};        // in a file, "run.yml:3"; empty on a command line
  bool list = false;                // given as a list, even of one value; never on a command line
};

// By name; if an option was given twice, the last one.
using Given = std::map<std::string, const GivenOption*>;

// The location as a prefix of a message: "run.yml:3: ".
std::string at(const GivenOption& option);
UsageError at(const GivenOption& option, const UsageError& error);
// UsageError: unknown option, with the nearest known name.
[[noreturn]] void refuse_unknown(const GivenOption& option, const std::vector<std::string>& names);
bool switched(const std::string& option, const std::string& word);  // UsageError: not true or false
// UsageError: a list was given to an option with a single value.
void refuse_list(const GivenOption& option);

// Sets the option. UsageError naming place, option and value: no value, several values for a single-valued option, or
// not a number in the range.
void set_given(const GivenOption& given, const OptionRow& row);
// Sets those that were given.
void take_given(const Given& given, const OptionRows& rows);
// UsageError naming place, option and value: a given word that is not one of the row's. Numbers were checked when they
// were read.
void check_words(const Given& given, const OptionRows& rows);

// UsageError naming place, option and value: `option` was given but has no effect.
[[noreturn]] void refuse_as_idle(const GivenOption& option, const When& when);
// Calls refuse_as_idle() if any given option has no effect with these options.
void refuse_idle(const Given& given, const OptionRows& rows);
// Resets options that were not given by the user (but set by a preset or a record) and have no effect. usual: the rows
// of a set with the defaults.
void leave_out_idle(const std::function<bool(const std::string& option)>& given, const OptionRows& rows,
                    const OptionRows& usual);

// The declared name for a key, which may be spelled as a field (beam_size); none if there is none.
std::optional<std::string> declared_name(const std::string& key, const std::vector<std::string>& names);
// The names in the spelling of the key: as fields if the key has no dash.
std::vector<std::string> spelled_as(const std::string& key, const std::vector<std::string>& names);

// Options by their declared names, to which all[i].name is converted. UsageError: unknown option.
Given by_name(std::vector<GivenOption>& all, const std::vector<std::string>& names);

}  // namespace hexapla
