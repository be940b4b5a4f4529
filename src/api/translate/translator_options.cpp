#include "api/translate/translator_options.h"

#include "api/guard.h"
#include "api/options.h"
#include "base/options/json_schema.h"
#include "decode/read_options.h"

namespace hexapla {
namespace api {
namespace {

template <class Public, class Declared>
constexpr bool alike = std::same_as<Public, Declared> ||
                       (Number<Public> && Number<Declared> && std::integral<Public> == std::integral<Declared>);

// f(public field, declared field, allowed) for every option.
template <class Public, class Declared, class F>
void visit_both(Public& options, Declared& declared, F&& f) {
  visit_public(options, [&](const std::string& name, auto& field) {
    bool found = false;
    const auto visit = [&](const std::string& other, auto& of_declared, const char*, const auto& allowed) {
      if constexpr (alike<std::remove_cvref_t<decltype(field)>, std::remove_cvref_t<decltype(of_declared)>>) {
        if (other != name) return;
        found = true;
        f(name, field, of_declared, allowed);
      }
    };
    decode::DecodingOptions::visit(declared, visit);
    HEXAPLA_CHECK(found, "api: nothing is declared that is like the public option ", name);
  });
}

std::vector<std::string> public_names() {
  std::vector<std::string> names{"alignment"};
  const TranslatorOptions usual;
  visit_public(usual, [&](const char* name, const auto&) { names.emplace_back(name); });
  return names;
}

TranslatorOptions read(const Options& options) {
  const std::vector<std::string> names = public_names();
  std::vector<GivenOption> given = given_options(options);
  TranslatorOptions result;
  for (GivenOption& option : given) {
    if (!declared_name(option.name, names)) refuse_unknown(option, spelled_as(option.name, names));
    if (option.name == "alignment") result.alignment = option.values.empty() ? "" : option.values.back();
  }
  std::erase_if(given, [](const GivenOption& option) { return option.name == "alignment"; });
  const auto declared = decode::read_options<decode::DecodingOptions>(std::move(given));
  visit_both(result, declared, [](const std::string&, auto& field, const auto& of_declared, const auto&) {
    field = static_cast<std::remove_cvref_t<decltype(field)>>(of_declared);
  });
  return result;
}

}  // namespace

decode::DecodingOptions declared_options(const TranslatorOptions& options) {
  decode::DecodingOptions all;
  visit_both(options, all, [](const std::string& name, const auto& field, auto& of_declared, const auto& allowed) {
    of_declared = static_cast<std::remove_cvref_t<decltype(of_declared)>>(field);
    check_allowed(name, of_declared, allowed);
  });
  return all;
}

nlohmann::ordered_json schema_of_options() {
  nlohmann::ordered_json properties;
  const std::vector<std::string> names = public_names();
  const decode::DecodingOptions usual;
  decode::DecodingOptions::visit(
      usual, [&](const std::string& name, const auto& field, const char* help, const auto& allowed) {
        if (declared_name(name, names)) properties[as_field(name)] = json_schema_of(field, help, allowed);
      });
  properties["alignment"] = {{"type", "string"}, {"enum", {"", "words", "blanks", "pieces"}}};
  return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

}  // namespace api

std::vector<OptionDescription> search_options() {
  std::vector<OptionDescription> all;
  const decode::DecodingOptions usual;
  for (const std::string& public_name : api::public_names())
    decode::DecodingOptions::visit(
        usual, [&](const std::string& name, const auto& field, const char* help, const auto& allowed, const auto&...) {
          if (name == public_name) all.push_back(api::described(name, field, help, allowed));
        });
  all.push_back({"alignment", "text", "", "units of the word alignments of translations: words, blanks or pieces"});
  return all;
}

TranslatorOptions TranslatorOptions::from(const Options& options) {
  return api::guarded([&] { return api::read(options); });
}

}  // namespace hexapla
