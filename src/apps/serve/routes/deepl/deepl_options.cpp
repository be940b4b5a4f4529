#include "serve/routes/deepl/deepl_options.h"

#include <algorithm>

#include "base/error.h"
#include "documents/html/html.h"
#include "documents/tags/xml_tokens.h"
#include "documents/text/text_lines.h"
#include "documents/xml/xml_text.h"
#include "serve/routes/deepl/deepl_request.h"

namespace hexapla::serve {
namespace {

using deepl::refuse;
[[noreturn]] void refuse_value(const std::string& name) { refuse(cat("Value for '", name, "' not supported.")); }

bool flag(const Parameters& p, const std::string& name, bool otherwise) {
  const std::string word = p.text_or(name, otherwise ? "1" : "0");
  if (word == "1" || word == "true") return true;
  if (word != "0" && word != "false") refuse_value(name);
  return false;
}

std::string choice(const Parameters& p, const std::string& name, std::initializer_list<std::string_view> choices) {
  const std::string word = p.text_or(name, "");
  if (!word.empty() && std::find(choices.begin(), choices.end(), word) == choices.end()) refuse_value(name);
  return word;
}

// A list of names, or names separated by commas. HTML names become lower case.
std::set<std::string> tag_names(const Parameters& p, const std::string& name, bool html) {
  const Json& given = p[name];
  std::string all;
  for (const Json& one : given.is_array() ? given : given.is_null() ? Json::array() : Json::array({given})) {
    if (!one.is_string()) refuse(cat(name, " must be a list of names of tags"));
    all += one.get<std::string>() + ",";
  }
  std::vector<std::string> names(1);
  for (const char c : all)
    if (c == ',')
      names.emplace_back();
    else if (c != ' ')
      names.back() += static_cast<char>(html && c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  std::set<std::string> all_names(names.begin(), names.end());
  all_names.erase("");
  return all_names;
}

text::document::TagRules rules_of(const Parameters& p, const std::string& tags) {
  text::document::TagRules rules;
  rules.ignored = tag_names(p, "ignore_tags", tags == "html");
  rules.splitting = tag_names(p, "splitting_tags", tags == "html");
  rules.non_splitting = tag_names(p, "non_splitting_tags", tags == "html");
  rules.outline = flag(p, "outline_detection", true);
  for (const std::string& name : rules.splitting)
    if (rules.non_splitting.contains(name))
      refuse(cat("splitting_tags and non_splitting_tags both have ", name, "; leave it out of one"));
  const bool any = !rules.ignored.empty() || !rules.splitting.empty() || !rules.non_splitting.empty() || !rules.outline;
  if (tags.empty() && any)
    refuse("ignore_tags, splitting_tags, non_splitting_tags and outline_detection need tag_handling, xml or html");
  return rules;
}

// There is only one model per language pair, which is both the best and the fastest.
std::string model_used(const Parameters& p) {
  const std::string prefix = "prefer_",
                    word =
                        choice(p, "model_type", {"quality_optimized", "prefer_quality_optimized", "latency_optimized"});
  return word.starts_with(prefix) ? word.substr(prefix.size()) : word;
}

text::document::Pieces pieces_of(const DeeplOptions& options, const std::string& text, std::size_t number) {
  try {
    if (options.tags == "xml") return text::document::xml_pieces(text, cat("text ", number), options.rules);
    return text::document::pieces_of(text::document::html_tokens(text), options.rules, text::document::with_entities);
  } catch (const DataError& e) {
    throw HttpError(400, cat("Tag handling parsing failed, please check input. ", e.what()));
  }
}

}  // namespace

void check_offered(const Parameters& p) {
  for (const char* name : {"custom_instructions", "style_id", "translation_memory_id", "translation_memory_threshold"})
    if (const Json& value = p[name]; !value.is_null() && value != "" && value != Json::array())
      refuse(cat("Parameter '", name, "' is not supported here; leave it out"));
  const std::string word = choice(p, "formality", {"default", "more", "less", "prefer_more", "prefer_less"});
  if (word == "more" || word == "less") refuse("'formality' is not supported for given 'target_lang'.");
}

DeeplOptions deepl_options_of(const Parameters& p) {
  check_offered(p);
  flag(p, "preserve_formatting", false);
  flag(p, "enable_beta_languages", false);
  choice(p, "tag_handling_version", {"v1", "v2"});
  const std::string tags = choice(p, "tag_handling", {"xml", "html"});
  return {tags, rules_of(p, tags), flag(p, "show_billed_characters", false), model_used(p)};
}

std::shared_ptr<const text::document::Document> deepl_document(const DeeplOptions& options,
                                                               const std::vector<std::string>& texts,
                                                               const std::vector<std::size_t>& places) {
  if (options.tags.empty()) {
    std::vector<std::string> some;
    for (const std::size_t i : places) some.push_back(texts[i]);
    return std::make_shared<const text::document::TextLines>(some);
  }
  std::vector<text::document::Pieces> all;
  for (const std::size_t i : places) all.push_back(pieces_of(options, texts[i], i + 1));
  return std::make_shared<const text::document::PiecesDocument>(std::move(all));
}

}  // namespace hexapla::serve
