// DeepL's documents: clients upload one, poll until it is done, and download it.
#include "base/error.h"
#include "documents/formats/formats.h"
#include "serve/languages/detect.h"
#include "serve/languages/languages.h"
#include "serve/routes/deepl/deepl_options.h"
#include "serve/routes/deepl/deepl_request.h"
#include "serve/routes/files/file_request.h"

namespace hexapla::serve {
namespace {

using namespace deepl;  // shared by its routes

constexpr std::string_view kDocumentPrefix = "/v2/document/", kResultSuffix = "/result";
constexpr std::chrono::hours kLongest{1};

// Without keys, a client may name any, and another one each time.
std::string owner_of(const Service& service, const Parameters& p, const Request& request) {
  return service.needs_key() ? Service::key_of(p, request) : "";
}

void begin_document(Service& service, const Service::Call& call) {
  const Parameters p(call->request());
  const std::int64_t most = service.admit(p, call->request());
  check_offered(p);
  for (const char* name : {"enable_document_minification", "document_minification"})
    if (const std::string word = p.text_or(name, ""); !word.empty() && word != "0" && word != "false")
      refuse(cat("Parameter '", name, "' is not supported here: documents keep their pictures; leave it out"));
  const SentFile file = sent_file(service, p, p.text_or("filename", ""));
  Account::Share place = service.documents().enter();
  const std::string format = p.text_or("output_format", "");
  if (!format.empty() && "." + format != file.format->ending) refuse("Value for 'output_format' not supported.");
  const auto document = read_document(file);
  const std::string text = together(document->lines());
  check_characters("file", text, most);
  const auto models = service.models();
  LanguagePair languages = languages_of(p, *models);
  const Glossary glossary = glossary_for(service, p, call->request());
  if (languages.source.empty()) languages.source = detect_source(text, *models, languages.target).front().code;
  Hops hops = hops_between(*models, languages.source, languages.target);
  if (glossary.size() > 0) check_one_hop(hops);
  const auto record = std::make_shared<DocumentRecord>(owner_of(service, p, call->request()), characters_in(text));
  const auto job = std::make_shared<DocumentJob>(service.files(), call->request(),
                                                 translated_name(file, languages.target), record, std::move(place));
  if (hops.empty() || document->lines().empty()) {
    job->answer({200, file.content});
  } else {
    service.keep_body(*job, file.content.size());  // longer than that of the upload
    LinesTask task = Service::task_of(std::move(hops), document, record->warnings);
    task.options.glossary = glossary;
    task.timeout = kLongest;
    task.late = "the document's time of an hour was up; divide it";
    service.translate(job, std::move(task), [job, document](const auto& found) {
      job->answer({200, document->joined(0, found, 0)});
    });
  }
  service.documents().add(record);  // now that it is accepted
  call->answer(json_response(Json{{"document_id", record->id}, {"document_key", record->key}}));
}

Json state_json(const DocumentRecord& record) {
  const DocumentRecord::State state = record.state();
  Json answer{{"document_id", record.id}, {"status", state.ended ? "done" : "translating"}};
  if (!state.ended) answer["seconds_remaining"] = 1;
  if (!state.error.empty()) answer["status"] = "error", answer["error_message"] = state.error;
  if (state.ended) answer["billed_characters"] = record.characters, record.warnings->put_into(answer);
  return answer;
}

void answer(Service& service, const Service::Call& call) {
  const Parameters p(call->request());
  service.admit(p, call->request());
  std::string id = path_of(call->request().target).substr(kDocumentPrefix.size());
  const bool result = id.ends_with(kResultSuffix);
  if (result) id.resize(id.size() - kResultSuffix.size());
  const std::string key = p.text_or("document_key", "");
  if (key.empty()) refuse("document_key is missing");
  const auto record = service.documents().find(owner_of(service, p, call->request()), id, key);
  if (!record) throw HttpError(404, "Document not found");
  if (!result) return call->answer(json_response(state_json(*record)));
  const DocumentRecord::State state = record->state();
  if (!state.ended) throw HttpError(503, "Document is not ready yet", {{"Retry-After", "1"}});
  if (!state.error.empty()) throw HttpError(404, state.error);
  call->answer(file_response(service, state.file));
}

}  // namespace

void add_document_routes(Router& router, Service& service) {
  router.add({"POST",
              "/v2/document",
              "Translate a document, for DeepL's clients: " + text::document::format_list(),
              [&](const auto& call) { begin_document(service, call); },
              {{"file", "file", true, "the document"},
               {"target_lang", "string", true, "language to translate into"},
               {"source_lang", "string"},
               {"filename", "string", false, "its name, if the form does not say it"},
               {"glossary_id", "string", false, "a glossary of /v2/glossaries"}}});
  for (const char* method : {"GET", "POST"})
    router.add({method,
                "/v2/document/*",
                "State of a document's translation; with /result after its id, the translated document",
                [&](const auto& call) { answer(service, call); },
                {{"document_key", "string", true, "the key returned with the id"}},
                "*/*"});
}

}  // namespace hexapla::serve
