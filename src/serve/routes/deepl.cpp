// DeepL's interface, so that its clients work with another address. Glossaries and formality are not offered.
#include <algorithm>

#include "base/error.h"
#include "serve/html/html_text.h"
#include "serve/models/detect.h"
#include "serve/models/languages.h"
#include "serve/routes/routes.h"
#include "serve/work/text_lines.h"

namespace hexapla::serve {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw HttpError(400, why); }

// Errors are {"message"} here.
void speaking_deepl(const Service::Call& call, const std::function<void()>& f) {
  try {
    f();
  } catch (...) {
    Response r = response_of(std::current_exception());
    const Json error = Json::parse(r.body);
    r.body = json_text(Json{{"message", error.value("error", "")}});
    if (r.status == 400 && error.value("error", "").find("API key") != std::string::npos) r.status = 403;
    call->answer(std::move(r));
  }
}

// "EN-GB" is English where there is only one. "": there is none
std::string language_of(const std::vector<std::string>& codes, const std::string& word) {
  const std::string whole = language_among(codes, word);
  if (!whole.empty() || std::find(codes.begin(), codes.end(), undetermined) == codes.end())
    return whole.empty() ? language_among(codes, word.substr(0, word.find('-'))) : whole;
  return language_code(word);
}

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

std::shared_ptr<const TextParts> parts_of(const std::string& tags, const std::vector<std::string>& texts) {
  if (tags == "html" || tags == "xml") return std::make_shared<const HtmlText>(texts);
  if (!tags.empty()) refuse("Value for 'tag_handling' not supported.");
  return std::make_shared<const TextLines>(texts);
}

void translate(Service& service, const Service::Call& call) {
  const Parameters p(call->request());
  const std::int64_t most = service.admit(p, call->request());
  const auto texts = std::make_shared<const std::vector<std::string>>(texts_of(p["text"]));
  for (const std::string& text : *texts)
    if (most >= 0 && static_cast<std::int64_t>(characters_in(text)) > most)
      throw HttpError(413, cat("a text has ", characters_in(text), " characters, but at most ", most, " are allowed"));
  if (!p.text_or("glossary_id", "").empty()) refuse("glossaries are not supported");
  const auto models = service.models();
  const std::vector<std::string> codes = all_languages(*models);
  const std::string target = language_of(codes, p.text_or("target_lang", "")), given = p.text_or("source_lang", "");
  if (target.empty()) refuse("Value for 'target_lang' not supported.");
  const std::string source =
      given.empty() ? detect_language(texts->front(), models->sources()).front().code : language_of(codes, given);
  if (source.empty()) refuse("Value for 'source_lang' not supported.");
  const std::shared_ptr<const TextParts> lines = parts_of(p.text_or("tag_handling", ""), *texts);
  LinesTask task =
      service.task_of(source == target && source != undetermined ? Hops() : models->find(source, target), *lines);
  const auto answer = [call, texts, lines, source](const PendingTranslation::Lines& found) {
    Json all = Json::array();
    for (std::size_t i = 0; i < texts->size(); ++i)
      all.push_back({{"detected_source_language", code_in_capitals(source)},
                     {"text", found.empty() ? texts->at(i) : lines->joined(i, found, 0)},
                     {"billed_characters", characters_in(texts->at(i))}});
    call->answer(json_response(Json{{"translations", std::move(all)}}));
  };
  if (task.hops.empty() && source != target) refuse(cat("nothing here translates from ", source, " to ", target));
  if (task.hops.empty() || task.lines.empty()) return answer({});
  service.translate(call, std::move(task), answer, [call](const Response& why) {
    speaking_deepl(call, [&] { throw HttpError(why.status, Json::parse(why.body).value("error", ""), why.headers); });
  });
}

Json languages(const ModelSet& models, const std::string& type) {
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
              "Translate as DeepL's clients ask for it",
              [&](const auto& call) { speaking_deepl(call, [&] { translate(service, call); }); },
              {{"text", "text", true, "texts to translate"},
               {"target_lang", "string", true, "language to translate into"},
               {"source_lang", "string"}}});
  const auto answer_languages = [&](const Service::Call& call) {
    speaking_deepl(call, [&] {
      const Parameters p(call->request());
      call->answer(json_response(languages(*service.models(), p.text_or("type", "source"))));
    });
  };
  for (const char* method : {"GET", "POST"})
    router.add({method, "/v2/languages", "Languages, for DeepL's clients", answer_languages});
  const auto answer_usage = [](const Service::Call& call) {
    call->answer(json_response(Json{{"character_count", 0}, {"character_limit", 1'000'000'000'000}}));
  };
  for (const char* method : {"GET", "POST"})
    router.add({method, "/v2/usage", "No limit, for DeepL's clients", answer_usage});
}

}  // namespace hexapla::serve
