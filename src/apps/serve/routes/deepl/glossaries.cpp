// DeepL's glossaries: /v2/glossaries and its subpaths.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "base/error.h"
#include "serve/languages/languages.h"
#include "serve/routes/routes.h"

namespace hexapla::serve {
namespace {

constexpr std::string_view kGlossaryPrefix = "/v2/glossaries/", kEntriesSuffix = "/entries";

// With milliseconds, because DeepL's Python client requires a fraction.
std::string time_text(std::chrono::system_clock::time_point at) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
  const std::time_t seconds = ms / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec, ms % 1000);
}

Json json_of(const StoredGlossary& g) {
  return {{"glossary_id", g.id},          {"name", g.name},          {"ready", true},
          {"source_lang", g.source},      {"target_lang", g.target}, {"creation_time", time_text(g.made)},
          {"entry_count", g.terms.size()}};
}

// The language without a region: glossaries have none.
std::string glossary_language(const Parameters& p, const char* name) {
  const std::string code = language_code(p.text_or(name, ""));
  if (code.empty()) throw HttpError(400, cat("Value for '", name, "' not supported."));
  return language_part(code);
}

std::string needed(const Parameters& p, const char* name) {
  const std::string text = p.text_or(name, "");
  if (text.empty()) throw HttpError(400, cat(name, " is missing"));
  return text;
}

// Rejects terms that a model for the languages cannot write: translations would ignore them, and
// DeepL's answers have no field for a warning.
void check_terms(const ModelSet& models, const StoredGlossary& g, const Entries& entries) {
  const Glossary terms(entries);
  for (const auto& model : models.models())
    if (model->source == kUndetermined ||
        (language_part(model->source) == g.source && language_part(model->target) == g.target))
      model->translator.check(terms);
}

void create(Service& service, const Service::Call& call) {
  const Parameters p(call->request());
  service.admit(p, call->request());
  StoredGlossary g;
  g.owner = Service::key_of(p, call->request());
  g.name = needed(p, "name");
  if (g.name.size() > 1024) throw HttpError(400, "name is longer than 1,024 bytes");
  g.source = glossary_language(p, "source_lang"), g.target = glossary_language(p, "target_lang");
  const std::string format = p.text_or("entries_format", "tsv"), entries = needed(p, "entries");
  if (format != "tsv" && format != "csv") throw HttpError(400, "Value for 'entries_format' not supported.");
  const Entries terms = format == "tsv" ? entries_of_tsv(entries) : entries_of_csv(entries);
  check_terms(*service.models(), g, terms);
  const auto stored = service.glossaries().put(std::move(g), terms);
  call->answer({201, json_text(json_of(*stored))});
}

struct Named {
  std::string owner, id;
  bool entries = false;
};
Named named_in(Service& service, const Service::Call& call) {
  const Parameters p(call->request());
  service.admit(p, call->request());
  Named n{Service::key_of(p, call->request()), path_of(call->request().target).substr(kGlossaryPrefix.size())};
  if ((n.entries = n.id.ends_with(kEntriesSuffix))) n.id.resize(n.id.size() - kEntriesSuffix.size());
  return n;
}

void show(Service& service, const Service::Call& call) {
  const Named n = named_in(service, call);
  const auto found = service.glossaries().get(n.owner, n.id);
  if (!found) throw HttpError(404, kNoGlossary);
  if (!n.entries) return call->answer(json_response(json_of(*found)));
  call->answer({200, found->tsv, "text/tab-separated-values; charset=utf-8"});
}

void list(Service& service, const Service::Call& call) {
  const Parameters p(call->request());
  service.admit(p, call->request());
  Json all = Json::array();
  for (const auto& g : service.glossaries().all(Service::key_of(p, call->request()))) all.push_back(json_of(*g));
  call->answer(json_response(Json{{"glossaries", std::move(all)}}));
}

void drop(Service& service, const Service::Call& call) {
  const Named n = named_in(service, call);
  if (n.entries || !service.glossaries().drop(n.owner, n.id)) throw HttpError(404, kNoGlossary);
  call->answer({204, ""});
}

// The language pairs of single models.
Json pairs(const ModelSet& models) {
  Json all = Json::array();
  for (const auto& model : models.models()) {
    const Json pair{{"source_lang", language_part(model->source)}, {"target_lang", language_part(model->target)}};
    if (model->source != kUndetermined && std::find(all.begin(), all.end(), pair) == all.end()) all.push_back(pair);
  }
  return {{"supported_languages", std::move(all)}};
}

}  // namespace

Glossary glossary_for(Service& service, const Parameters& p, const Request& request) {
  if (!p["glossary_ids"].is_null()) throw HttpError(400, "glossary_ids is not supported; give one glossary_id");
  const std::string id = p.text_or("glossary_id", "");
  if (id.empty()) return {};
  const auto found = service.glossaries().get(Service::key_of(p, request), id);
  if (!found) throw HttpError(404, kNoGlossary);
  if (p.text_or("source_lang", "").empty()) throw HttpError(400, "source_lang is missing, which glossary_id needs");
  if (glossary_language(p, "source_lang") != found->source || glossary_language(p, "target_lang") != found->target)
    throw HttpError(400, cat("source_lang and target_lang must match the glossary, which is from ", found->source,
                             " to ", found->target));
  return found->terms;
}

void add_glossary_routes(Router& router, Service& service) {
  const auto with = [&](void (*answer)(Service&, const Service::Call&)) {
    return [&service, answer](const Service::Call& call) { answer(service, call); };
  };
  router.add({"POST",
              "/v2/glossaries",
              "Create a glossary, for DeepL's clients",
              with(create),
              {{"name", "string", true, "any name"},
               {"source_lang", "string", true},
               {"target_lang", "string", true},
               {"entries", "string", true, "one term per line: source and target"},
               {"entries_format", "string", false, "tsv (default) or csv"}}});
  router.add({"GET", "/v2/glossaries", "The glossaries of this key", with(list)});
  router.add({"GET", "/v2/glossaries/*", "One of them, or with /entries its terms", with(show)});
  router.add({"DELETE", "/v2/glossaries/*", "Delete one of them", with(drop)});
  router.add_open({"GET", "/v2/glossary-language-pairs", "Languages of glossaries, for DeepL's clients",
                   [&](const Service::Call& call) { call->answer(json_response(pairs(*service.models()))); }});
}

}  // namespace hexapla::serve
