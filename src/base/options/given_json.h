#pragma once
// Options given as a JSON object, by a request or by a program in another language.
#include <cmath>
#include <concepts>
#include <optional>
#include <set>

#include "base/json.h"
#include "base/options/given_option.h"

namespace hexapla {

// The value of a field in a record. UsageError: a word that the field cannot hold.
template <class Field>
Field recorded(const nlohmann::json& value) {
  if constexpr (is_word<Field>)
    return Field::parse("value", value.get<std::string>());
  else
    return value.get<Field>();
}

// {"beam_size": 4} or {"beam-size": 4}; names are converted to those that Options declares. A
// number is a JSON number, a switch is true or false, a word is a string, a list of these an array.
// UsageError: not an object, unknown option, an option given under both spellings, wrong type.
template <class Options>
std::vector<GivenOption> given_in_json(const nlohmann::json& object);

namespace detail {

// A value of another type keeps its quotes, brackets or letters, so the check of the range refuses
// it.
inline std::string number_word(const nlohmann::json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) return cat(value.get<double>());
  return json_text(value);
}

template <class Field>
std::string word_of(const std::string& option, const nlohmann::json& value) {
  if constexpr (std::same_as<Field, bool>) {
    if (!value.is_boolean())
      throw UsageError(cat("`", option, "` is ", json_text(value), ", but must be true or false"), option,
                       json_text(value));
    return json_text(value);
  } else if constexpr (std::same_as<Field, std::string> || is_word<Field>) {
    if (!value.is_string())
      throw UsageError(cat("`", option, "` is ", json_text(value), ", but must be a string"), option, json_text(value));
    return value.get<std::string>();
  } else {
    return number_word(value);
  }
}

template <class Field>
std::vector<std::string> words_of(const std::string& option, const nlohmann::json& value) {
  if constexpr (is_list<Field>) {
    if (!value.is_array())
      throw UsageError(cat("`", option, "` is ", json_text(value), ", but must be a list"), option, json_text(value));
    std::vector<std::string> words;
    for (const nlohmann::json& item : value) words.push_back(word_of<typename Field::value_type>(option, item));
    return words;
  } else {
    return {word_of<Field>(option, value)};
  }
}

}  // namespace detail

template <class Options>
std::vector<GivenOption> given_in_json(const nlohmann::json& object) {
  if (!object.is_object()) throw UsageError(cat("options are a JSON object, but here is ", json_text(object)));
  const Options usual;
  const std::vector<std::string> names = names_of(usual);
  std::set<std::string> seen;
  std::vector<GivenOption> given;
  for (const auto& [key, value] : object.items()) {
    const auto name = declared_name(key, names);
    if (!name) refuse_unknown({key, {}}, spelled_as(key, names));
    if (!seen.insert(*name).second) throw UsageError(cat("`", *name, "` is given twice, spelled in two ways"));
    Options::visit(usual, [&, &json = value](const std::string& declared, const auto& field, const auto&...) {
      if (declared == *name)
        given.push_back({*name, detail::words_of<std::remove_cvref_t<decltype(field)>>(declared, json)});
    });
  }
  return given;
}

}  // namespace hexapla
