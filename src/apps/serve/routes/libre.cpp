// LibreTranslate's API. Answers, statuses and messages are those of LibreTranslate 1.9.6, except
// for its mistakes: a non-string text gives 400 instead of 500, and a repeated q in a form is a
// list.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/range.h"
#include "documents/html/html.h"
#include "documents/text/text_lines.h"
#include "serve/languages/languages.h"
#include "serve/routes/libre_request.h"

namespace hexapla::serve {
namespace {

using namespace libre;  // shared by its routes

int alternatives_in(const Parameters& p, std::int64_t most) {
  const Json& given = p["alternatives"];
  if (given.is_null()) return 0;
  double number = 0;
  if (given.is_number()) {
    number = given.get<double>();
  } else {
    const bool list = given.is_structured() && p.is_json();
    const auto parsed = parse_number<std::int64_t>(list ? "" : p.text_or("alternatives", ""));
    if (!parsed) refuse("Invalid request: alternatives parameter is not a number");
    number = static_cast<double>(*parsed);
  }
  if (number > static_cast<double>(most)) refuse(cat("Invalid request: alternatives parameter must be <= ", most));
  return static_cast<int>(std::max(0.0, number));
}

Json detected_json(const DetectedLanguage& d) { return {{"confidence", d.confidence}, {"language", d.code}}; }

Json libre_answer(const Texts& texts, const text::document::Document& lines, const PendingTranslation::Lines& found,
                  const Languages& l, int alternatives) {
  Json translated = Json::array(), others = Json::array(), detected = Json::array();
  for (std::size_t i = 0; i < texts.all.size(); ++i) {
    translated.push_back(l.same() ? texts.all[i] : lines.joined(i, found, 0));
    Json& list = others.emplace_back(Json::array());
    for (std::size_t rank = 1; !l.same() && rank < lines.ranks(i, found) && rank <= std::size_t(alternatives); ++rank) {
      Json other = lines.joined(i, found, rank);  // other pieces may give the same text
      if (other != translated.back() && std::find(list.begin(), list.end(), other) == list.end())
        list.push_back(std::move(other));
    }
    if (!l.detected.empty()) detected.push_back(detected_json(l.detected.front()));
  }
  Json answer{{"translatedText", texts.list ? translated : translated.front()}};
  if (!l.detected.empty()) answer["detectedLanguage"] = texts.list ? detected : detected.front();
  if (alternatives > 0) answer["alternatives"] = texts.list ? others : others.front();
  return answer;
}

std::shared_ptr<const text::document::Document> parts_of(const std::string& format,
                                                         const std::vector<std::string>& texts) {
  if (format == "html")
    return std::make_shared<const text::document::PiecesDocument>(text::document::html_document(texts));
  return std::make_shared<const text::document::TextLines>(texts);
}

void translate_libre(Service& service, const Service::Call& call) {
  const Parameters p(call->request());
  const std::int64_t most_characters = service.admit(p, call->request());
  const auto texts = std::make_shared<const Texts>(Texts::of(p));
  required(p, "source"), required(p, "target");
  const int alternatives = alternatives_in(p, service.options().alternatives_limit);
  texts->check(service.options().batch_limit, most_characters);
  const auto models = service.models();
  const std::string format = p.text_or("format", "text");
  const std::shared_ptr<const text::document::Document> lines = parts_of(format, texts->all);
  const Languages languages = languages_of(p, *models, {lines->lines()});  // detected without the tags
  if (format != "text" && format != "html" && !format.empty()) refuse(format + " format is not supported");
  Hops hops = hops_of(*models, languages);
  if (lines->lines().empty() || hops.empty())
    return call->answer(json_response(libre_answer(
        *texts, *lines, PendingTranslation::Lines(lines->lines().size(), {Translation{}}), languages, alternatives)));
  const auto warnings = std::make_shared<Warnings>();
  LinesTask task = Service::task_of(std::move(hops), lines, warnings);
  if (alternatives > 0) {
    task.options.n_best = alternatives + 1;
    task.options.beam_size = std::max(*task.hops.back()->translator.complete().beam_size, alternatives + 1);
  }
  service.translate(call, std::move(task), [call, texts, lines, languages, alternatives, warnings](const auto& found) {
    Json answer = libre_answer(*texts, *lines, found, languages, alternatives);
    warnings->put_into(answer);
    call->answer(json_response(answer));
  });
}

void detect(Service& service, const Service::Call& call) {
  const Parameters p(call->request());
  const std::int64_t most_characters = service.admit(p, call->request());
  const Texts texts = Texts::of(p);
  texts.check(-1, most_characters);
  Json answer = Json::array();
  if (!texts.translatable()) {
    answer.push_back(detected_json({"en", 0}));
  } else {
    const auto models = service.models();  // detects target languages, too
    for (const DetectedLanguage& d : detect_language(texts.together(), all_languages(*models)))
      answer.push_back(detected_json(d));
  }
  call->answer(json_response(answer));
}

Json language_json(const std::string& code) { return {{"code", code}, {"name", language_name(code)}}; }

Json libre_languages(const ModelSet& models) {
  Json all = Json::array();
  for (const std::string& code : all_languages(models)) {
    Json targets = models.targets_of(code);
    if (std::find(targets.begin(), targets.end(), Json(code)) == targets.end()) targets.push_back(code);
    Json language = language_json(code);
    language["targets"] = std::move(targets);
    all.push_back(std::move(language));
  }
  return all;
}

Json settings(const Service& service) {
  const auto models = service.models();
  const ServedModel& first = *models->models().front();
  return {{"apiKeys", service.needs_key()},
          {"charLimit", service.options().char_limit},
          {"filesTranslation", service.files().on()},
          {"frontendTimeout", 500},
          {"keyRequired", service.needs_key()},
          {"language", {{"source", language_json(first.source)}, {"target", language_json(first.target)}}},
          {"suggestions", false},
          {"supportedFilesFormat", service.files().on() ? Json(file_formats()) : Json::array()}};
}

}  // namespace

std::string together(const std::vector<std::string>& lines) {
  std::string whole;
  for (const std::string& line : lines) whole += line + "\n";
  return whole;
}

std::size_t characters_in(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

void check_characters(const std::string& field, const std::string& text, std::int64_t most) {
  if (most >= 0 && static_cast<std::int64_t>(characters_in(text)) > most)
    throw HttpError(400, cat(field, " has ", characters_in(text), " characters, but at most ", most,
                             " are allowed; give a shorter text"));
}

void check_texts(const std::string& field, std::size_t texts, std::int64_t most) {
  if (most >= 0 && static_cast<std::int64_t>(texts) > most)
    throw HttpError(400,
                    cat(field, " has ", texts, " texts, but at most ", most, " are allowed; give fewer at a time"));
}

std::vector<std::string> all_languages(const ModelSet& models) {
  std::vector<std::string> codes = models.sources();
  for (const std::string& code : models.targets())
    if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(code);
  return codes;
}

void add_libre_routes(Router& router, Service& service) {
  router.add({"POST",
              "/translate",
              "Translate a text, or a list of texts",
              [&](const auto& call) { translate_libre(service, call); },
              {{"q", "text", true, "text to translate, or a list of texts", {{"minLength", 1}}},
               {"source", "string", true, "its language, or auto"},
               {"target", "string", true, "language to translate into"},
               {"format", "string", false, "text or html", {{"enum", {"text", "html"}}}},
               {"alternatives",
                "number",
                false,
                "other translations to give",
                {{"maximum", service.options().alternatives_limit}}},
               {"api_key", "string"}}});
  router.add({"POST",
              "/detect",
              "Which language a text is in",
              [&](const auto& call) { detect(service, call); },
              {{"q", "text", true, "text whose language to detect", {{"minLength", 1}}}, {"api_key", "string"}}});
  router.add_open({"GET", "/languages", "Languages, and what each can be translated into",
                   [&](const auto& call) { call->answer(json_response(libre_languages(*service.models()))); }});
  router.add_open({"GET", "/frontend/settings", "Limits and defaults, for user interfaces",
                   [&](const auto& call) { call->answer(json_response(settings(service))); }});
  router.add_open({"POST", "/suggest", "Suggest a better translation (not offered)",
                   [](const auto&) { throw HttpError(403, "Suggestions are disabled on this server."); }});
}

}  // namespace hexapla::serve
