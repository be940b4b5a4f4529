// LibreTranslate's interface for files: one is sent, its translation is fetched from the address in the answer.
#include <algorithm>

#include "base/error.h"
#include "document/formats.h"
#include "serve/http/proxies.h"
#include "serve/routes/libre_request.h"

namespace hexapla::serve {
namespace {

using namespace libre;  // NOLINT: what its routes have in common
using Parts = std::shared_ptr<const document::Document>;

// "film.en.SRT" -> 8: where its ending begins
std::size_t end_of_stem(const std::string& name) { return std::min(name.rfind('.'), name.size()); }

bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

// What every system takes as a name, of the last 100 bytes of one; characters beyond ASCII stay.
std::string safe(const std::string& name) {
  std::string result;
  for (std::size_t i = name.size() > 100 ? name.size() - 100 : 0; i < name.size(); ++i)
    if (!result.empty() || (name[i] & 0xC0) != 0x80) result += plain(name[i]) || (name[i] & 0x80) != 0 ? name[i] : '_';
  return result;
}

std::string percent_encoded(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result +=
        plain(c) ? std::string(1, c) : std::string{'%', "0123456789ABCDEF"[byte / 16], "0123456789ABCDEF"[byte % 16]};
  }
  return result;
}

struct SentFile {
  std::string name;
  const document::Format* format;
  std::string content;
};

SentFile sent_file(const Parameters& p) {
  const Parameters::File* const sent = p.file("file");
  if (sent == nullptr) refuse("Invalid request: missing file parameter");
  SentFile file{sent->name, document::format_of(sent->name), sent->content};
  if (file.name.empty() || file.content.empty()) refuse("Invalid request: empty file");
  if (file.format == nullptr) refuse("Invalid request: file format not supported");
  return file;
}

Parts read_document(const document::Format& format, const std::string& content) {
  try {
    return document::read(format, content);
  } catch (const DataError& e) {
    throw HttpError(400, e.what());
  }
}

void require_files(const Service& service) {
  if (!service.files().on()) throw HttpError(403, "Files translation are disabled on this server.");
}

void translate_file(Service& service, const Service::Call& call) {
  require_files(service);
  const Parameters p(call->request());
  const std::int64_t most_characters = service.admit(p, call->request());
  SentFile file = sent_file(p);
  const Parts parts = read_document(*file.format, file.content);
  const Texts text{{Texts{parts->lines()}.together()}};
  text.check(-1, most_characters);
  const auto models = service.models();
  const Languages languages = languages_of(p, *models, text);
  const std::string name =
      safe(file.name.substr(0, end_of_stem(file.name)) + "_" + languages.target + file.format->ending);
  const auto answer = [call, &service, name](std::string content) {
    const auto put = service.files().put(name, std::move(content));
    if (!put) throw HttpError(413, "the translated file is larger than the files that this server keeps");
    call->answer(json_response(
        Json{{"translatedFileUrl", address_of_server(call->request()) + "/download_file/" + percent_encoded(*put)}}));
  };
  Hops hops = hops_of(*models, languages);
  if (parts->lines().empty() || hops.empty()) return answer(file.content);
  service.translate(call, service.task_of(std::move(hops), *parts),
                    [parts, answer](const auto& found) { answer(parts->joined(0, found, 0)); });
}

std::string type_of(const std::string& name) {
  const document::Format& format = *document::format_of(name);
  return format.type + (format.text ? "; charset=utf-8" : "");
}

void download_file(Service& service, const Service::Call& call) {
  require_files(service);
  const std::string path = path_of(call->request().target), name = path.substr(path.rfind('/') + 1);
  auto content = service.files().get(name);
  if (!content) throw HttpError(404, "there is no file of this name, or no longer; translate it again");
  const std::string shown = name.substr(name.find('.') + 1);
  call->answer({200,
                *std::move(content),
                type_of(name),
                {{"Content-Disposition", "attachment; filename*=UTF-8''" + percent_encoded(shown)}}});
}

}  // namespace

const std::vector<std::string>& file_formats() {
  static const std::vector<std::string> endings = [] {
    std::vector<std::string> all;
    for (const document::Format& f : document::formats()) all.push_back(f.ending);
    return all;
  }();
  return endings;
}

void add_file_routes(Router& router, Service& service) {
  router.add({"POST",
              "/translate_file",
              "Translate a file: " + document::format_list(),
              [&](const auto& call) { translate_file(service, call); },
              {{"file", "file", true, "the file; of text in UTF-8"},
               {"source", "string", true, "its language, or auto"},
               {"target", "string", true, "language to translate into"},
               {"api_key", "string"}}});
  router.add_open({"GET",
                   "/download_file/*",
                   "A translated file",
                   [&](const auto& call) { download_file(service, call); },
                   {},
                   "*/*"});
}

}  // namespace hexapla::serve
