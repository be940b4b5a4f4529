#pragma once
// What a user gave, in words, wherever it came from: a command line, a file, a request. A set of options that declares
// each of them in visit(name, field, help, allowed, ..) takes it from here.
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/options/when.h"
#include "base/range.h"

namespace hexapla {

struct GivenOption {
  std::string name;                 // "lr"; "layers" sets both stacks
  std::vector<std::string> values;  // as a user writes them; of a switch "true" or "false"
  std::string location = {};        // of a file: "run.yml:3"; empty on a command line
  bool list = false;                // given as a list, even of one value; a command line has no such thing
};

// By name: of an option that was given twice the last time.
using Given = std::map<std::string, const GivenOption*>;

// Where it was given, in front of a message: "run.yml:3: ".
std::string at(const GivenOption& option);
UsageError at(const GivenOption& option, const UsageError& error);
// UsageError: there is no option of this name, with the nearest of those that there are.
[[noreturn]] void refuse_unknown(const GivenOption& option, const std::vector<std::string>& names);
bool switched(const std::string& option, const std::string& word);  // UsageError: no switch's word
// UsageError: given as a list, to an option that has one value.
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
  } else if constexpr (Number<Field>) {
    field = allowed.parse(option, words.front());
  } else {
    field.clear();
    for (const std::string& word : words) field.push_back(allowed.parse(option, word));
  }
}

}  // namespace detail

// UsageError naming place, option and value: no value, several of an option that has one, or no number in the range.
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

// What was given, on top of `to`.
template <class Options>
void take_given(const Given& given, Options& to) {
  Options::visit(to, [&](const std::string& name, auto& field, const char*, const auto& allowed, const auto&...) {
    const auto found = given.find(name);
    if (found != given.end()) set_given(*found->second, allowed, field);
  });
}

// UsageError naming place, option and value: `option` was given, and does nothing.
[[noreturn]] void refuse_as_idle(const GivenOption& option, const When& when);

// The same of everything that was given, beside the others as they are.
template <class Options>
void refuse_idle(const Given& given, const Options& options) {
  visit_conditions(options, [&](const std::string& name, const auto&, const When& when) {
    if (const auto found = given.find(name); !when.now && found != given.end()) refuse_as_idle(*found->second, when);
  });
}

// Resets options that were not given and do nothing beside the others: a preset, or a record, set them.
template <class Options>
void leave_out_idle(const std::function<bool(const std::string& option)>& given, Options& options) {
  const Options usual;
  std::set<std::string> idle;
  visit_conditions(options, [&](const std::string& name, const auto&, const When& when) {
    if (!when.now && !given(name)) idle.insert(name);
  });
  Options::visit(options, [&](const std::string& name, auto& field, const auto&...) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if (!idle.contains(name)) return;
    Options::visit(usual, [&](const std::string& other, const auto& value, const auto&...) {
      if constexpr (std::same_as<Field, std::remove_cvref_t<decltype(value)>>)
        if (other == name) field = value;
    });
  });
}

// The declared name of a key, which may be spelled as a field (beam_size), if there is one.
std::optional<std::string> declared_name(const std::string& key, const std::vector<std::string>& names);
// The names as the key is spelled.
std::vector<std::string> spelled_as(const std::string& key, const std::vector<std::string>& names);

// By those of `names`, which the options get for their own, however they were spelled. UsageError: none of them.
Given by_name(std::vector<GivenOption>& all, const std::vector<std::string>& names);

// The names that a set of options declares, in their order.
template <class Options>
std::vector<std::string> names_of(const Options& usual = {}) {
  std::vector<std::string> names;
  Options::visit(usual, [&](const char* name, const auto&...) { names.emplace_back(name); });
  return names;
}

}  // namespace hexapla
