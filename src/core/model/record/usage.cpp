#include "model/record/usage.h"

#include <type_traits>

#include "base/error.h"
#include "base/json.h"

namespace hexapla::model {
namespace {

using nlohmann::json;

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;

template <class T>
bool is_set(const T& field) {
  if constexpr (is_optional<T>)
    return field.has_value();
  else
    return !field.empty();
}

template <class T>
void read(const json& value, T& field) {
  if constexpr (is_optional<T>)
    field = value.get<typename T::value_type>();
  else
    value.get_to(field);
}

}  // namespace

std::string Usage::to_json() const {
  json all = json::object();
  visit(*this, [&](const char* name, const auto& field) {
    if (!is_set(field)) return;
    if constexpr (is_optional<std::remove_cvref_t<decltype(field)>>)
      all[name] = *field;
    else
      all[name] = field;
  });
  return json_text(all);
}

Usage Usage::from_json(const std::string& text, const std::string& file) {
  Usage usage;
  try {
    json all = parse_json(text, cat(file, ": its record of how it is used"));
    visit(usage, [&](const char* name, auto& field) {
      if (!all.contains(name)) return;
      read(all[name], field);
      all.erase(name);
    });
    if (!all.empty())
      throw DataError(cat(file, ": its record of how it is used has '", all.begin().key(),
                          "', which this version does not know; use a newer hexapla"));
  } catch (const json::exception&) {
    throw DataError(cat(file, ": its record of how it is used is damaged; get it again from its source"));
  }
  return usage;
}

void check(const Usage& usage, const Config& config, const std::string& file) {
  const auto within = [&](const char* name, const std::optional<int64_t>& value, int64_t count) {
    if (value && (*value < 0 || *value >= count))
      throw DataError(cat(file, ": its record says that ", name, " ", *value, " aligns words, and it has ", count,
                          " of them, from 0"));
  };
  within("decoder layer", usage.alignment_layer, config.dec_layers);
  within("head", usage.alignment_head, config.heads);
}

Usage common(const Usage& a, const Usage& b) {
  Usage both = a;
  const json ours = parse_json(a.to_json(), "a record"), theirs = parse_json(b.to_json(), "a record");
  Usage::visit(both, [&](const char* name, auto& field) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, std::map<std::string, std::string>>)
      std::erase_if(field, [&](const auto& option) {
        return !b.search.contains(option.first) || b.search.at(option.first) != option.second;
      });
    else if (!ours.contains(name) || !theirs.contains(name) || ours[name] != theirs[name])
      field = {};
  });
  if (a.alignment_layer != b.alignment_layer || a.alignment_head != b.alignment_head)
    both.alignment_layer = both.alignment_head = {};
  return both;
}

}  // namespace hexapla::model
