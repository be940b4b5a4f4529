#include "serve/routes/files/file_request.h"

#include <algorithm>

#include "base/error.h"

namespace hexapla::serve {
namespace {

// "film.en.SRT" -> 7: where the extension begins
std::size_t end_of_stem(const std::string& name) { return std::min(name.rfind('.'), name.size()); }

bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

// A file name that every system accepts, from the last 100 bytes of `name`; keeps characters beyond
// ASCII.
std::string safe(const std::string& name) {
  std::string result;
  for (std::size_t i = name.size() > 100 ? name.size() - 100 : 0; i < name.size(); ++i)
    if (!result.empty() || (name[i] & 0xC0) != 0x80) result += plain(name[i]) || (name[i] & 0x80) != 0 ? name[i] : '_';
  return result;
}

void require_files(const Service& service) {
  if (!service.files().on()) throw HttpError(403, "Files translation are disabled on this server.");
}

}  // namespace

SentFile sent_file(const Service& service, const Parameters& p, const std::string& name) {
  require_files(service);
  const auto refuse = [](const std::string& why) { throw HttpError(400, cat("Invalid request: ", why)); };
  const Parameters::File* const sent = p.file("file");
  if (sent == nullptr) refuse("missing file parameter");
  const std::string its = sent->name.empty() ? name : sent->name;
  SentFile file{its, text::document::format_of(its), sent->content};
  if (file.name.empty() || file.content.empty()) refuse("empty file");
  if (file.format == nullptr) refuse("file format not supported; " + text::document::advice_for(file.name));
  return file;
}

std::shared_ptr<const text::document::Document> read_document(const SentFile& file, bool attributes) {
  try {
    return text::document::read(*file.format, file.content, attributes);
  } catch (const UserError& e) {
    throw HttpError(400, e.what());
  }
}

std::string translated_name(const SentFile& file, const std::string& target) {
  return safe(file.name.substr(0, end_of_stem(file.name)) + "_" + target + file.format->ending);
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

Response file_response(Service& service, const std::string& name) {
  require_files(service);
  auto content = service.files().get(name);
  if (!content) throw HttpError(404, "there is no file of this name, or no longer; translate it again");
  const text::document::Format& format = *text::document::format_of(name);
  const std::string shown = name.substr(name.find('.') + 1);
  return {200,
          *std::move(content),
          format.type + (format.text ? "; charset=utf-8" : ""),
          {{"Content-Disposition", "attachment; filename*=UTF-8''" + percent_encoded(shown)}}};
}

}  // namespace hexapla::serve
