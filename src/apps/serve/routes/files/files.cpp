// LibreTranslate's API for files: clients upload a file and download its translation from the URL
// in the answer.
#include <algorithm>

#include "base/error.h"
#include "documents/formats/formats.h"
#include "serve/http/proxies.h"
#include "serve/routes/files/file_request.h"
#include "serve/routes/libre_request.h"

namespace hexapla::serve {
namespace {

using namespace libre;  // shared by its routes

bool asks_for_attributes(const Parameters& p) {
  const std::string given = p.text_or("attributes", "false");
  if (given != "true" && given != "false")
    throw HttpError(400, cat("Invalid request: attributes is ", given, ": give true or false"));
  return given == "true";
}

void translate_file(Service& service, const Service::Call& call) {
  const Parameters p(call->request());
  const std::int64_t most_characters = service.admit(p, call->request());
  const SentFile file = sent_file(service, p);
  const auto parts = read_document(file, asks_for_attributes(p));
  const Texts text{{together(parts->lines())}};
  text.check(-1, most_characters);
  const auto models = service.models();
  const Languages languages = languages_of(p, *models, text);
  const std::string name = translated_name(file, languages.target);
  const auto warnings = std::make_shared<Warnings>();
  const auto answer = [call, &service, name, warnings](std::string content) {
    if (call->is_gone()) return;  // nobody would learn the file's name
    const auto put = service.files().put(name, std::move(content));
    if (!put) throw HttpError(413, "the translated file is larger than the files that this server keeps");
    Json said{{"translatedFileUrl", address_of_server(call->request()) + "/download_file/" + percent_encoded(*put)}};
    warnings->put_into(said);
    call->answer(json_response(said));
  };
  Hops hops = hops_of(*models, languages);
  if (parts->lines().empty() || hops.empty()) return answer(file.content);
  service.translate(call, Service::task_of(std::move(hops), parts, warnings),
                    [parts, answer](const auto& found) { answer(parts->joined(0, found, 0)); });
}

void download_file(Service& service, const Service::Call& call) {
  const std::string path = path_of(call->request().target), name = path.substr(path.rfind('/') + 1);
  call->answer(file_response(service, name));
}

}  // namespace

const std::vector<std::string>& file_formats() {
  static const std::vector<std::string> endings = [] {
    std::vector<std::string> all;
    for (const text::document::Format& f : text::document::formats()) all.push_back(f.ending);
    return all;
  }();
  return endings;
}

void add_file_routes(Router& router, Service& service) {
  router.add({"POST",
              "/translate_file",
              "Translate a file: " + text::document::format_list(),
              [&](const auto& call) { translate_file(service, call); },
              {{"file", "file", true, "the file; text must be in UTF-8"},
               {"source", "string", true, "its language, or auto"},
               {"target", "string", true, "language to translate into"},
               {"attributes", "boolean", false,
                "whether alt, title, placeholder and the description of a page are translated"},
               {"api_key", "string"}}});
  router.add_open({"GET",
                   "/download_file/*",
                   "A translated file",
                   [&](const auto& call) { download_file(service, call); },
                   {},
                   "*/*"});
}

}  // namespace hexapla::serve
