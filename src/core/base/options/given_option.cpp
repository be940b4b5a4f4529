#include "base/options/given_option.h"

#include <algorithm>

#include "base/nearest.h"
#include "base/options/option_names.h"

namespace hexapla {

std::string at(const GivenOption& option) { return option.location.empty() ? "" : option.location + ": "; }

UsageError at(const GivenOption& option, const UsageError& error) {
  return UsageError(at(option) + error.what(), error.option(), error.value());
}

namespace {

std::string join(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

}  // namespace

void refuse_unknown(const GivenOption& option, const std::vector<std::string>& names) {
  const std::string near = nearest(names, option.name);
  throw UsageError(
      cat(at(option), "unknown option '", option.name, "'", near.empty() ? "" : "; did you mean '" + near + "'?"),
      option.name, join(option.values));
}

std::optional<std::string> declared_name(const std::string& key, const std::vector<std::string>& names) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const std::string& name) { return key == name || key == as_field(name); });
  return found == names.end() ? std::nullopt : std::optional(*found);
}

std::vector<std::string> spelled_as(const std::string& key, const std::vector<std::string>& names) {
  std::vector<std::string> spelled = names;
  if (key.find('-') == key.npos)
    for (std::string& name : spelled) name = as_field(name);
  return spelled;
}

Given by_name(std::vector<GivenOption>& all, const std::vector<std::string>& names) {
  Given given;
  for (GivenOption& option : all) {
    const auto name = declared_name(option.name, names);
    if (!name) refuse_unknown(option, spelled_as(option.name, names));
    option.name = *name;
    given[*name] = &option;
  }
  return given;
}

void refuse_as_idle(const GivenOption& option, const When& when) {
  const std::string value = join(option.values);
  throw UsageError(cat(at(option), "`", option.name, "` ", value, value.empty() ? "" : " ", when.otherwise),
                   option.name, value);
}

void set_given(const GivenOption& given, const OptionRow& row) {
  if (given.values.empty()) throw UsageError(cat(at(given), "`", given.name, "` has no value"), given.name, "");
  if (!row.is_list()) refuse_list(given);
  try {
    row.set(given.values);
  } catch (const UsageError& e) {
    throw at(given, e);
  }
}

void take_given(const Given& given, const OptionRows& rows) {
  for (const OptionRow& row : rows)
    if (const auto found = given.find(row.name); found != given.end()) set_given(*found->second, row);
}

void check_words(const Given& given, const OptionRows& rows) {
  for (const OptionRow& row : rows) {
    const auto found = given.find(row.name);
    if (found == given.end()) continue;
    try {
      row.check();
    } catch (const UsageError& e) {
      throw at(*found->second, e);
    }
  }
}

void refuse_idle(const Given& given, const OptionRows& rows) {
  for (const OptionRow& row : rows)
    if (const auto found = given.find(row.name); !row.when.now && found != given.end())
      refuse_as_idle(*found->second, row.when);
}

void leave_out_idle(const std::function<bool(const std::string& option)>& given, const OptionRows& rows,
                    const OptionRows& usual) {
  for (size_t i = 0; i < rows.size(); ++i)
    if (!rows[i].when.now && !given(rows[i].name)) rows[i].set_to(usual[i]);
}

void refuse_list(const GivenOption& option) {
  if (!option.list && option.values.size() == 1) return;
  throw UsageError(cat(at(option), "`", option.name, "` is a list (", join(option.values),
                       "), but takes a single value: give one of them"),
                   option.name, join(option.values));
}

bool switched(const std::string& option, const std::string& word) {
  for (const char* on : {"true", "on", "yes", "enable", "1"})
    if (word == on) return true;
  for (const char* off : {"false", "off", "no", "disable", "0"})
    if (word == off) return false;
  throw UsageError(cat("`", option, "` is '", word, "', but must be true or false"), option, word);
}

}  // namespace hexapla
