#include "serve/look/request.h"

#include "base/error.h"

namespace hexapla::serve {
namespace {

const nlohmann::json* member(const nlohmann::json& request, const char* name) {
  if (!request.is_object()) throw UsageError("a request is a JSON object, {\"q\": \"...\"}");
  const auto found = request.find(name);
  return found == request.end() || found->is_null() ? nullptr : &*found;
}

[[noreturn]] void refuse_field(const std::string& name, const std::string& what, const nlohmann::json& value) {
  throw UsageError(cat("\"", name, "\" must be ", what, ", not ", value.type_name()), name, "");
}

std::string text_of(const char* name, const nlohmann::json& value) {
  if (!value.is_string()) refuse_field(name, "a text", value);
  return value.get<std::string>();
}

OptionValue option_value(const std::string& name, const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return json_text(value);
  refuse_field(name, "a number, a text, true or false", value);
}

}  // namespace

std::optional<std::string> optional_text(const nlohmann::json& request, const char* name) {
  const nlohmann::json* value = member(request, name);
  return value ? std::optional(text_of(name, *value)) : std::nullopt;
}

std::string text_member(const nlohmann::json& request, const char* name) {
  if (auto text = optional_text(request, name)) return *std::move(text);
  throw UsageError(cat("\"", name, "\" is missing; give a text"), name, "");
}

std::vector<std::string> list_member(const nlohmann::json& request, const char* name, std::size_t most) {
  const nlohmann::json* value = member(request, name);
  if (!value) return {};
  if (!value->is_array()) refuse_field(name, "a list of texts", *value);
  if (value->size() > most)
    throw UsageError(cat("\"", name, "\" has ", value->size(), " entries; give at most ", most), name, "");
  std::vector<std::string> all;
  for (const nlohmann::json& entry : *value) all.push_back(text_of(name, entry));
  return all;
}

std::int64_t count_member(const nlohmann::json& request, const char* name, std::int64_t most) {
  const nlohmann::json* value = member(request, name);
  if (!value) return 0;
  if (!value->is_number_integer() || *value < 0 || *value > most)
    throw UsageError(cat("\"", name, "\" must be a whole number from 0 to ", most, ", not ", json_text(*value)), name,
                     "");
  return value->get<std::int64_t>();
}

TranslatorOptions options_member(const nlohmann::json& request, const char* name) {
  const nlohmann::json* value = member(request, name);
  if (!value) return {};
  if (!value->is_object()) refuse_field(name, "an object, {\"beam_size\": 4}", *value);
  Options options;
  for (const auto& [key, word] : value->items()) options.emplace(key, option_value(key, word));
  return options_of_request(options);
}

TranslatorOptions options_of_request(const Options& given) {
  TranslatorOptions options = TranslatorOptions::from(given);
  if (options.protect_pattern)
    throw UsageError("\"protect_pattern\" is for the operator of the server (hexapla serve): leave it out",
                     "protect_pattern", "");
  return options;
}

}  // namespace hexapla::serve
