#include "lib/translate/translator_options.h"

#include <algorithm>

#include "base/options/option_json.h"
#include "base/options/option_names.h"
#include "decode/options/named/read_options.h"
#include "decode/options/named/search_defaults.h"
#include "lib/guard.h"
#include "lib/options.h"

namespace hexapla {
namespace api {
namespace {

std::vector<std::string> public_names() {
  std::vector<std::string> names{"alignment"};
  for (const PublicOption& option : public_rows(TranslatorOptions())) names.emplace_back(option.name);
  return names;
}

std::vector<GivenOption> given_of(const TranslatorOptions& options) {
  std::vector<GivenOption> given;
  for (const PublicOption& option : public_rows(options))
    if (const auto value = option.value(); value && !value->words().empty())  // skips an empty list
      given.push_back({option.name, value->words()});
  return given;
}

// Copies declared values to the public options for which `wanted`.
void take_declared(const decode::DecodingOptions& declared, TranslatorOptions& options,
                   const std::function<bool(const std::string& name)>& wanted) {
  const OptionRows rows = rows_of(declared);
  for (const PublicOption& option : public_rows(options)) {
    const OptionRow* row = find(rows, option.name);
    HEXAPLA_CHECK(row, "api: nothing is declared that is like the public option ", option.name);
    if (wanted(option.name)) option.set(row->words());
  }
}

// Removes `alignment`, which is not a search option. -> its value
std::string taken_alignment(std::vector<GivenOption>& given) {
  std::string units;
  for (const GivenOption& option : given)
    if (option.name == "alignment") set_given(option, {"alignment", units, "", AnyValue{}});
  std::erase_if(given, [](const GivenOption& option) { return option.name == "alignment"; });
  return units;
}

TranslatorOptions read_translator_options(const Options& options) {
  const std::vector<std::string> names = public_names();
  std::vector<GivenOption> given = given_options(options);
  for (const GivenOption& option : given)
    if (!declared_name(option.name, names)) refuse_unknown(option, spelled_as(option.name, names));
  TranslatorOptions result;
  result.alignment = taken_alignment(given);
  const Given by = by_name(given, names);
  take_declared(options_for_any_model(given), result, [&](const std::string& name) { return by.contains(name); });
  return result;
}

// names: options without effect here.
void refuse_given(const TranslatorOptions& options, const std::vector<std::string>& names, const std::string& why) {
  for (const GivenOption& option : given_of(options))
    if (std::find(names.begin(), names.end(), option.name) != names.end())
      refuse_as_idle(option, {.now = false, .otherwise = why});
}

}  // namespace

std::optional<OptionValue> PublicOption::value() const {
  return std::visit([](const auto* given) { return *given ? std::optional<OptionValue>(**given) : std::nullopt; },
                    member);
}

void PublicOption::set(const std::vector<std::string>& words) const {
  std::visit(
      Overloaded{[&](std::optional<bool>* to) { *to = words.front() == "true"; },
                 [&](std::optional<std::string>* to) { *to = words.front(); },
                 [&](std::optional<std::vector<std::string>>* to) { *to = words; },
                 [&](std::optional<std::uint64_t>* to) { *to = parse_number<uint64_t>(words.front()); },
                 [&](std::optional<double>* to) { *to = parse_number<double>(words.front()); },
                 [&](std::optional<int>* to) { *to = static_cast<int>(parse_number<int64_t>(words.front()).value()); }},
      member);
}

std::vector<PublicOption> public_rows(TranslatorOptions& o) {
  return {{"beam-size", &o.beam_size},
          {"n-best", &o.n_best},
          {"distinct", &o.distinct},
          {"mbr", &o.mbr},
          {"candidates", &o.candidates},
          {"length-penalty", &o.length_penalty},
          {"length-normalization", &o.length_normalization},
          {"extra-length", &o.extra_length},
          {"max-length", &o.max_length},
          {"batch-sentences", &o.batch_sentences},
          {"batch-tokens", &o.batch_tokens},
          {"word-penalty", &o.word_penalty},
          {"coverage-penalty", &o.coverage_penalty},
          {"longest", &o.longest},
          {"longest-ratio", &o.longest_ratio},
          {"min-length", &o.min_length},
          {"repetition-penalty", &o.repetition_penalty},
          {"no-repeat-ngram", &o.no_repeat_ngram},
          {"max-repetition", &o.max_repetition},
          {"unk", &o.unk},
          {"stop-when", &o.stop_when},
          {"sentences", &o.sentences},
          {"long-input", &o.long_input},
          {"letter-case", &o.letter_case},
          {"protect", &o.protect},
          {"protect-pattern", &o.protect_pattern},
          {"sample", &o.sample},
          {"temperature", &o.temperature},
          {"top-k", &o.top_k},
          {"top-p", &o.top_p},
          {"seed", &o.seed}};
}

decode::DecodingOptions declared_options(const TranslatorOptions& options, const decode::DecodingOptions& usual) {
  return decode::read_options(given_of(options), usual);
}

decode::DecodingOptions options_for_any_model(std::vector<GivenOption> given) {
  decode::DecodingOptions usual;
  const Given by = by_name(given, names_of(usual.rows()));
  if (by.contains("n-best") && !by.contains("beam-size")) usual.beam_size = ranges::kBeam.most;
  return decode::read_options(std::move(given), usual);
}

decode::DecodingOptions usual_search(const model::Usage& usage, const TranslatorOptions& of_model) {
  decode::DecodingOptions usual;
  decode::take_record(usage, usual);
  declared_options(of_model, usual);  // only checks them
  std::vector<GivenOption> given = given_of(of_model);
  take_given(by_name(given, public_names()), usual.rows());
  return usual;
}

TranslatorOptions public_options(const decode::DecodingOptions& options) {
  TranslatorOptions result;
  take_declared(options, result, [](const std::string&) { return true; });
  return result;
}

void refuse_idle(TranslatorCall call, const TranslatorOptions& options) {
  if (call == TranslatorCall::trace)
    for (const auto& [name, count] : {std::pair{"require", options.require.size()},
                                      {"forbid", options.forbid.size()},
                                      {"glossary", options.glossary.size()}})
      if (count > 0) throw UsageError(cat("a trace shows plain beam search; leave out `", name, "`"), name, cat(count));
  decode::DecodingOptions any;
  const std::vector<std::string> scoring = names_of(any.rows_of_scoring());
  std::vector<std::string> of_search, of_scores{"length-penalty", "length-normalization"};
  for (const std::string& name : names_of(any.rows()))
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
  decode::DecodingOptions usual;
  for (const OptionRow& row : usual.rows_of_request()) properties[as_field(row.name)] = json_schema_of(row);
  properties["alignment"] = {{"type", "string"}, {"enum", {"", "words", "blanks", "pieces"}}};
  return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

}  // namespace api

std::vector<OptionDescription> search_options() {
  decode::DecodingOptions usual;
  std::vector<OptionDescription> all = api::described(without(usual.rows(), {"precision"}));
  all.push_back({"alignment", "text", "", "units of the word alignments of translations: words, blanks or pieces"});
  return all;
}

TranslatorOptions TranslatorOptions::from(const Options& options) {
  return api::guarded([&] { return api::read_translator_options(options); });
}

Options TranslatorOptions::named() const {
  return api::guarded([&] {
    Options all;
    for (const api::PublicOption& option : api::public_rows(*this))
      if (const auto value = option.value()) all.insert_or_assign(as_field(option.name), *value);
    if (!alignment.empty()) all.insert_or_assign("alignment", alignment);
    return all;
  });
}

}  // namespace hexapla
