#pragma once
// Options as a user gave them, in words, from a command line, a file or a request. A set of options
// that declares its members in visit(name, field, help, allowed, ..) is filled from them.
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/options/when.h"
#include "base/options/word.h"
#include "base/range.h"

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

namespace detail {

template <class Field, class Allowed>
void set_words(const std::string& option, const std::vector<std::string>& words, const Allowed& allowed, Field& field) {
  if constexpr (std::same_as<Field, std::vector<std::string>>) {
    field = words;
  } else if constexpr (std::same_as<Field, bool>) {
    field = switched(option, words.front());
  } else if constexpr (std::same_as<Field, std::string>) {
    field = words.front();
  } else if constexpr (is_word<Field>) {
    field = Field::parse(option, words.front());
  } else if constexpr (Number<Field>) {
    field = allowed.parse(option, words.front());
  } else {
    field.clear();
    for (const std::string& word : words) field.push_back(allowed.parse(option, word));
  }
}

}  // namespace detail

// UsageError naming place, option and value: no value, several values for a single-valued option,
// or not a number in the range.
template <class Field, class Allowed>
void set_given(const GivenOption& given, const Allowed& allowed, Field& field) {
  if (given.values.empty()) throw UsageError(cat(at(given), "`", given.name, "` has no value"), given.name, "");
  if constexpr (!is_list<Field>) refuse_list(given);
  try {
    detail::set_words(given.name, given.values, allowed, field);
  } catch (const UsageError& e) {
    throw at(given, e);
  }
}

// Sets the options that were given in `to`.
template <class Options>
void take_given(const Given& given, Options& to) {
  Options::visit(to, [&](const std::string& name, auto& field, const char*, const auto& allowed, const auto&...) {
    const auto found = given.find(name);
    if (found != given.end()) set_given(*found->second, allowed, field);
  });
}

// UsageError naming place, option and value: `option` was given but has no effect.
[[noreturn]] void refuse_as_idle(const GivenOption& option, const When& when);

// Calls refuse_as_idle() if any given option has no effect with these options.
template <class Options>
void refuse_idle(const Given& given, const Options& options) {
  visit_conditions(options, [&](const std::string& name, const auto&, const When& when) {
    if (const auto found = given.find(name); !when.now && found != given.end()) refuse_as_idle(*found->second, when);
  });
}

// Resets options that were not given by the user (but set by a preset or a record) and have no
// effect.
template <class Options>
void leave_out_idle(const std::function<bool(const std::string& option)>& given, Options& options) {
  const Options usual;
  std::set<std::string> idle;
  visit_conditions(options, [&](const std::string& name, const auto&, const When& when) {
    if (!when.now && !given(name)) idle.insert(name);
  });
  std::vector<const void*> values;  // in order of declaration: a second visit inside of the first takes long to compile
  Options::visit(usual, [&](const char*, const auto& value, const auto&...) { values.push_back(&value); });
  auto value = values.begin();
  Options::visit(options, [&](const std::string& name, auto& field, const auto&...) {
    using Field = std::remove_cvref_t<decltype(field)>;
    const auto* const usual_value = static_cast<const Field*>(*value++);
    if (idle.contains(name)) field = *usual_value;
  });
}

// The declared name for a key, which may be spelled as a field (beam_size); none if there is none.
std::optional<std::string> declared_name(const std::string& key, const std::vector<std::string>& names);
// The names in the spelling of the key: as fields if the key has no dash.
std::vector<std::string> spelled_as(const std::string& key, const std::vector<std::string>& names);

// Options by their declared names, to which all[i].name is converted. UsageError: unknown option.
Given by_name(std::vector<GivenOption>& all, const std::vector<std::string>& names);

// The names that a set of options declares, in order of declaration.
template <class Options>
std::vector<std::string> names_of(const Options& usual = {}) {
  std::vector<std::string> names;
  Options::visit(usual, [&](const char* name, const auto&...) { names.emplace_back(name); });
  return names;
}

}  // namespace hexapla
