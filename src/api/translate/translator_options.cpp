#include "api/translate/translator_options.h"

#include <algorithm>

#include "api/guard.h"
#include "api/options.h"
#include "base/options/json_schema.h"
#include "decode/options/named/read_options.h"
#include "decode/options/named/search_defaults.h"

namespace hexapla {
namespace api {
namespace {

template <class Public, class Declared>
constexpr bool alike = std::same_as<Public, Declared> || (std::same_as<Public, std::string> && is_word<Declared>) ||
                       (Number<Public> && Number<Declared> && std::integral<Public> == std::integral<Declared>);

// Calls f(name, public field, declared field) for every option.
template <class Public, class Declared, class F>
void visit_both(Public& options, Declared& declared, F&& f) {
  visit_public(options, [&](const std::string& name, auto& field) {
    bool found = false;
    const auto visit = [&](const std::string& other, auto& of_declared, const auto&...) {
      using Value = typename std::remove_cvref_t<decltype(field)>::value_type;
      if constexpr (alike<Value, std::remove_cvref_t<decltype(of_declared)>>) {
        if (other != name) return;
        found = true;
        f(name, field, of_declared);
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

std::vector<GivenOption> given_of(const TranslatorOptions& options) {
  std::vector<GivenOption> given;
  visit_public(options, [&](const char* name, const auto& field) {
    if (field && !OptionValue(*field).words().empty())  // skips an empty list
      given.push_back({name, OptionValue(*field).words()});
  });
  return given;
}

// Removes `alignment`, which is not a search option. -> its value
std::string taken_alignment(std::vector<GivenOption>& given) {
  std::string units;
  for (const GivenOption& option : given)
    if (option.name == "alignment") set_given(option, AnyValue{}, units);
  std::erase_if(given, [](const GivenOption& option) { return option.name == "alignment"; });
  return units;
}

TranslatorOptions read(const Options& options) {
  const std::vector<std::string> names = public_names();
  std::vector<GivenOption> given = given_options(options);
  for (const GivenOption& option : given)
    if (!declared_name(option.name, names)) refuse_unknown(option, spelled_as(option.name, names));
  TranslatorOptions result;
  result.alignment = taken_alignment(given);
  const Given by = by_name(given, names);
  const auto declared = options_for_any_model(given);
  visit_both(result, declared, [&](const std::string& name, auto& field, const auto& of_declared) {
    using Value = typename std::remove_cvref_t<decltype(field)>::value_type;
    if (by.contains(name)) field = static_cast<Value>(of_declared);
  });
  return result;
}

// names: options without effect here.
void refuse_given(const TranslatorOptions& options, const std::vector<std::string>& names, const std::string& why) {
  for (const GivenOption& option : given_of(options))
    if (std::find(names.begin(), names.end(), option.name) != names.end())
      refuse_as_idle(option, {.now = false, .otherwise = why});
}

}  // namespace

decode::DecodingOptions declared_options(const TranslatorOptions& options, const decode::DecodingOptions& usual) {
  return decode::read_options(given_of(options), usual);
}

decode::DecodingOptions options_for_any_model(std::vector<GivenOption> given) {
  decode::DecodingOptions usual;
  const Given by = by_name(given, names_of<decode::DecodingOptions>());
  if (by.contains("n-best") && !by.contains("beam-size")) usual.beam_size = ranges::kBeam.most;
  return decode::read_options(std::move(given), usual);
}

decode::DecodingOptions usual_search(const model::Usage& usage, const TranslatorOptions& of_model) {
  decode::DecodingOptions usual;
  decode::take_record(usage, usual);
  declared_options(of_model, usual);  // only checks them
  std::vector<GivenOption> given = given_of(of_model);
  take_given(by_name(given, public_names()), usual);
  return usual;
}

TranslatorOptions public_options(const decode::DecodingOptions& options) {
  TranslatorOptions result;
  visit_both(result, options, [](const std::string&, auto& field, const auto& of_declared) {
    using Value = typename std::remove_cvref_t<decltype(field)>::value_type;
    field = static_cast<Value>(of_declared);
  });
  return result;
}

void refuse_idle(TranslatorCall call, const TranslatorOptions& options) {
  const std::vector<std::string> scoring = names_of<decode::ScoringOptions>();
  std::vector<std::string> of_search, of_scores{"length-penalty", "length-normalization"};
  for (const std::string& name : names_of<decode::DecodingOptions>())
    if (name != "long-input" && std::find(scoring.begin(), scoring.end(), name) == scoring.end())
      of_search.push_back(name);
  const bool given_pairs = call == TranslatorCall::scores || call == TranslatorCall::alignments;
  if (call == TranslatorCall::best && options.n_best.value_or(1) > 1)
    refuse_given(options, {"n-best"}, "is for translate_n_best() and submit(): this call gives the best one alone");
  if (given_pairs) refuse_given(options, of_search, "is for a search, but these translations are given: leave it out");
  if (given_pairs && options.glossary.size() > 0)
    throw UsageError("`glossary` is for a search, but these translations are given: leave it out", "glossary",
                     cat(options.glossary.size(), " terms"));
  if (options.on_progress && (given_pairs || call == TranslatorCall::request))
    throw UsageError(given_pairs ? "`on-progress` is for translations, but these are given: leave it out"
                                 : "`on-progress` of the options is for translate(): give that of the request",
                     "on_progress", "");
  if (call == TranslatorCall::alignments) refuse_given(options, of_scores, "is for scores: leave it out");
  if (call == TranslatorCall::request)
    refuse_given(options, {"batch-sentences", "batch-tokens"},
                 "is for translate(): requests share their batches with others; leave it out");
  if ((call == TranslatorCall::best || given_pairs) && !options.alignment.empty())
    throw UsageError(cat("`alignment` ", options.alignment, " is for translate_n_best() and submit()",
                         given_pairs ? "; align() gives those of pairs" : "", ": leave it out"),
                     "alignment", options.alignment);
}

nlohmann::ordered_json schema_of_options() {
  nlohmann::ordered_json properties;
  const std::vector<std::string> names = public_names();
  const decode::RequestOptions usual;
  decode::RequestOptions::visit(
      usual, [&](const std::string& name, const auto& field, const char* help, const auto& allowed, const When&) {
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

Options TranslatorOptions::named() const {
  return api::guarded([&] {
    Options all;
    api::visit_public(*this, [&](const char* name, const auto& field) {
      if (field) all.insert_or_assign(as_field(name), OptionValue(*field));
    });
    if (!alignment.empty()) all.insert_or_assign("alignment", alignment);
    return all;
  });
}

}  // namespace hexapla
