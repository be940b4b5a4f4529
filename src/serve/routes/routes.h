#pragma once
// The paths that a service answers, each group in a file of its own.
#include <map>
#include <string>
#include <vector>

#include "serve/service.h"

namespace hexapla::serve {

// LibreTranslate's interface, as its clients use it: /translate, /languages, /detect, /frontend/settings, ...
void add_libre_routes(Router& router, Service& service);
// Its files: /translate_file, /download_file.
void add_file_routes(Router& router, Service& service);
// Everything that the models can say, under /v1.
void add_native_routes(Router& router, Service& service);
// The inside of models, trainings, and the page that shows them.
void add_look_routes(Router& router, Service& service);
// DeepL's interface, as its clients use it: /v2/translate, /v2/languages, /v2/usage.
void add_deepl_routes(Router& router, Service& service);
// Its documents: /v2/document.
void add_document_routes(Router& router, Service& service);
// Its glossaries: /v2/glossaries.
void add_glossary_routes(Router& router, Service& service);
// For who runs the server: /health, /ready, /metrics, /spec.
void add_operation_routes(Router& router, Service& service);

// The routes as OpenAPI 3.0 describes them. choices: what a field of this name may be, if it is not free.
nlohmann::ordered_json description_of(const Router& router, const std::string& title,
                                      const std::map<std::string, std::vector<std::string>>& choices);

// The one model that a request of /v1 names. HttpError 400: there is none, or it takes two. text: whose language is
// looked for where it names none.
std::shared_ptr<const ServedModel> model_of(const Parameters& parameters, const ModelSet& models,
                                            const std::string& text);

// HttpError 400: they are two models, of which none knows the terms and their translations.
void check_one_hop(const Hops& hops);

// f(); what it throws becomes the answer, {"message"}, as DeepL's clients expect it.
void speaking_deepl(const Service::Call& call, const std::function<void()>& f);
constexpr const char* no_glossary = "Glossary not found";
// The glossary that a request for translations names; none: no terms. HttpError: 404 for one that is not there or
// belongs to another key; 400 where the languages are not its own, or there is no source_lang.
Glossary glossary_for(Service& service, const Parameters& parameters, const Request& request);

// Lines as one text, each with a line end.
std::string together(const std::vector<std::string>& lines);
// A text's characters (code points).
std::size_t characters_in(const std::string& text);
// HttpError 400: more of them than a text may have, or more texts than a request may have; -1: any number.
void check_characters(const std::string& field, const std::string& text, std::int64_t most);
void check_texts(const std::string& field, std::size_t texts, std::int64_t most);

// The endings of files that are translated: ".txt", ...
const std::vector<std::string>& file_formats();

// The languages of all models, sources first.
std::vector<std::string> all_languages(const ModelSet& models);

}  // namespace hexapla::serve
