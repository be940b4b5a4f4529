#pragma once
// The paths that a service answers; each group has its own file.
#include <map>
#include <string>
#include <vector>

#include "serve/service.h"

namespace hexapla::serve {

// Adds all routes below. Call it once, before the service answers.
void add_routes(Service& service);

// LibreTranslate's API: /translate, /languages, /detect, /frontend/settings, ...
void add_libre_routes(Router& router, Service& service);
// LibreTranslate's files: /translate_file, /download_file.
void add_file_routes(Router& router, Service& service);
// hexapla's own API, under /v1.
void add_native_routes(Router& router, Service& service);
// Inspection of models, training runs, and the page that shows them.
void add_look_routes(Router& router, Service& service);
// DeepL's API: /v2/translate, /v2/languages, /v2/usage.
void add_deepl_routes(Router& router, Service& service);
// DeepL's documents: /v2/document.
void add_document_routes(Router& router, Service& service);
// DeepL's glossaries: /v2/glossaries.
void add_glossary_routes(Router& router, Service& service);
// Routes for the operator: /health, /ready, /metrics, /spec.
void add_operation_routes(Router& router, Service& service);

// An OpenAPI 3.0 description of the routes. choices: allowed values of fields, by name.
nlohmann::ordered_json description_of(const Router& router, const std::string& title,
                                      const std::map<std::string, std::vector<std::string>>& choices);

// The single model that a /v1 request names. HttpError 400: there is none, or two are needed. text:
// used to detect the language if the request names none.
std::shared_ptr<const ServedModel> model_of(const Parameters& parameters, const ModelSet& models,
                                            const std::string& text);

// HttpError 400: there are two models; a glossary's terms and translations belong to neither.
void check_one_hop(const Hops& hops);

constexpr const char* kNoGlossary = "Glossary not found";
// The glossary named in a request for translations; empty if none is named. HttpError: 404 if it
// does not exist or belongs to another key; 400 if the languages do not match or source_lang is
// missing.
Glossary glossary_for(Service& service, const Parameters& parameters, const Request& request);

// Joins lines, adding a newline to each.
std::string together(const std::vector<std::string>& lines);
// The number of code points in a text.
std::size_t characters_in(const std::string& text);
// HttpError 400: more than `most` characters in a text, or texts in a request; -1: no limit.
void check_characters(const std::string& field, const std::string& text, std::int64_t most);
void check_texts(const std::string& field, std::size_t texts, std::int64_t most);

// Supported file extensions: ".txt", ...
const std::vector<std::string>& file_formats();

// The languages of all models, sources first.
std::vector<std::string> all_languages(const ModelSet& models);

}  // namespace hexapla::serve
