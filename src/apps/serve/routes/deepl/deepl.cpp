// DeepL's API: its clients only need this server's URL. Formality is not supported.
#include <algorithm>

#include "base/error.h"
#include "serve/languages/detect.h"
#include "serve/languages/languages.h"
#include "serve/routes/deepl/deepl_options.h"
#include "serve/routes/deepl/deepl_request.h"

namespace hexapla::serve {
namespace {

using namespace deepl;  // shared by its routes

std::vector<std::string> texts_of(const Json& text) {
  std::vector<std::string> all;
  const auto add = [&](const Json& one) {
    if (!one.is_string()) refuse("text must be a list of strings");
    all.push_back(one);
  };
  if (text.is_array())
    std::for_each(text.begin(), text.end(), add);
  else if (!text.is_null())
    add(text);
  if (all.empty()) refuse("text is missing");
  return all;
}

// Texts in the same language, translated by the same models.
struct Group {
  std::string source;
  Hops hops;  // empty: the texts are in the target language already
  std::vector<std::size_t> texts;
};

struct DeeplCall {
  std::vector<std::string> texts, translated;
  std::string target;
  DeeplOptions how = {};
  std::string sentences = "auto";  // the search option of this name
  Glossary glossary = {};
  std::vector<Group> groups;
  std::shared_ptr<Warnings> warnings = std::make_shared<Warnings>();

  Group& group_of(const std::string& source, const ModelSet& models) {
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.source == source; });
    if (found != groups.end()) return *found;
    groups.push_back({source, hops_between(models, source, target), {}});
    return groups.back();
  }
  Json answer() const {
    std::vector<std::string> sources(texts.size());
    for (const Group& g : groups)
      for (const std::size_t i : g.texts) sources[i] = g.source;
    Json all = Json::array();
    for (std::size_t i = 0; i < texts.size(); ++i) {
      all.push_back({{"detected_source_language", code_in_capitals(sources[i])}, {"text", translated[i]}});
      if (how.billed) all.back()["billed_characters"] = characters_in(texts[i]);
      if (!how.model_type_used.empty()) all.back()["model_type_used"] = how.model_type_used;
    }
    Json whole{{"translations", std::move(all)}};
    warnings->put_into(whole);
    return whole;
  }
};

// "1" (default): sentences end at punctuation and newlines; "nonewlines": at punctuation; "0":
// nowhere. Newlines that end no sentence become spaces.
void read_split_sentences(const Parameters& p, DeeplCall& asked) {
  const std::string word = p.text_or("split_sentences", asked.how.tags.empty() ? "1" : "nonewlines");
  if (word != "0" && word != "1" && word != "nonewlines") refuse("Value for 'split_sentences' not supported.");
  if (word == "0") asked.sentences = "keep";
  if (word == "1" || !asked.how.tags.empty()) return;
  for (std::string& text : asked.texts) std::replace(text.begin(), text.end(), '\n', ' ');
}

// The text without tags, whose names and attributes would mislead language detection.
std::string text_alone(const DeeplCall& asked, std::size_t i) {
  return asked.how.tags.empty() ? asked.texts[i] : together(deepl_document(asked.how, asked.texts, {i})->lines());
}

std::shared_ptr<DeeplCall> deepl_call(Service& service, const Service::Call& call) {
  const Parameters p(call->request());
  const std::int64_t most = service.admit(p, call->request());
  auto asked = std::make_shared<DeeplCall>();
  asked->texts = asked->translated = texts_of(p["text"]);
  check_texts("text", asked->texts.size(), service.options().batch_limit);
  for (const std::string& text : asked->texts)
    if (most >= 0 && static_cast<std::int64_t>(characters_in(text)) > most)
      throw HttpError(413, cat("a text has ", characters_in(text), " characters, but at most ", most, " are allowed"));
  asked->glossary = glossary_for(service, p, call->request());
  asked->how = deepl_options_of(p);
  read_split_sentences(p, *asked);
  const auto models = service.models();
  const LanguagePair languages = languages_of(p, *models);
  asked->target = languages.target;
  for (std::size_t i = 0; i < asked->texts.size(); ++i) {
    const std::string its = languages.source.empty()
                                ? detect_source(text_alone(*asked, i), *models, languages.target).front().code
                                : languages.source;
    asked->group_of(its, *models).texts.push_back(i);
  }
  return asked;
}

// Translates this group and then the following ones.
void translate_group(Service& service, const Service::Call& call, const std::shared_ptr<DeeplCall>& asked,
                     std::size_t group) {
  if (group == asked->groups.size()) return call->answer(json_response(asked->answer()));
  const Group& g = asked->groups[group];
  const std::shared_ptr<const text::document::Document> parts = deepl_document(asked->how, asked->texts, g.texts);
  if (g.hops.empty() || parts->lines().empty()) return translate_group(service, call, asked, group + 1);
  const auto go_on = [&service, call, asked, group, parts](const PendingTranslation::Lines& found) {
    const std::vector<std::size_t>& places = asked->groups[group].texts;
    for (std::size_t i = 0; i < places.size(); ++i) asked->translated[places[i]] = parts->joined(i, found, 0);
    translate_group(service, call, asked, group + 1);
  };
  LinesTask task = Service::task_of(g.hops, parts, asked->warnings);
  task.options.sentences = asked->sentences;
  task.options.glossary = asked->glossary;
  if (asked->glossary.size() > 0) check_one_hop(g.hops);
  service.translate(call, std::move(task), go_on);
}

Json deepl_languages(const ModelSet& models, const std::string& type) {
  if (type != "source" && type != "target") refuse("Value for 'type' not supported.");
  Json all = Json::array();
  for (const std::string& code : type == "target" ? models.targets() : models.sources()) {
    all.push_back({{"language", code_in_capitals(code)}, {"name", language_name(code)}});
    if (type == "target") all.back()["supports_formality"] = false;
  }
  return all;
}

}  // namespace

void add_deepl_routes(Router& router, Service& service) {
  router.add({"POST",
              "/v2/translate",
              "Translate, for DeepL's clients",
              [&](const auto& call) { translate_group(service, call, deepl_call(service, call), 0); },
              {{"text", "text", true, "texts to translate"},
               {"target_lang", "string", true, "language to translate into"},
               {"source_lang", "string"},
               {"glossary_id", "string", false, "a glossary of /v2/glossaries"},
               {"tag_handling", "string", false, "xml or html: the texts have tags"},
               {"ignore_tags", "text", false, "names of tags whose content stays as it is"},
               {"splitting_tags", "text", false, "names of tags that end a sentence"},
               {"non_splitting_tags", "text", false, "names of tags that do not end a sentence"},
               {"outline_detection", "boolean", false,
                "whether other tags end a sentence if the structure says so (default: true)"},
               {"split_sentences", "string", false,
                "1: at punctuation and newlines; nonewlines: at punctuation; 0: not at all"}}});
  const auto answer_languages = [&](const Service::Call& call) {
    const Parameters p(call->request());
    call->answer(json_response(deepl_languages(*service.models(), p.text_or("type", "source"))));
  };
  for (const char* method : {"GET", "POST"})
    router.add_open({method, "/v2/languages", "Languages, for DeepL's clients", answer_languages});
  const auto answer_usage = [&](const Service::Call& call) {
    service.admit(Parameters(call->request()), call->request());
    call->answer(json_response(Json{{"character_count", 0}, {"character_limit", 1'000'000'000'000}}));
  };
  for (const char* method : {"GET", "POST"})
    router.add({method, "/v2/usage", "No limit, for DeepL's clients", answer_usage});
}

}  // namespace hexapla::serve
