#pragma once
// Files that requests bring, and those that they fetch.
#include <memory>
#include <string>

#include "document/formats.h"
#include "serve/routes/routes.h"

namespace hexapla::serve {

struct SentFile {
  std::string name;
  const document::Format* format;
  std::string content;
};
// The file of a request. name: of a file without one. HttpError 400: there is none, it is empty, or of no format that
// is translated; 403: the server takes no files.
SentFile sent_file(const Service& service, const Parameters& parameters, const std::string& name = "");
// HttpError 400: its content is not of its format.
std::shared_ptr<const document::Document> read_document(const SentFile& file);
// "film.srt" -> "film_de.srt"
std::string translated_name(const SentFile& file, const std::string& target);

std::string percent_encoded(const std::string& text);
// A file of the shelf. HttpError 404: there is none of this name, or no longer; 403 as sent_file().
Response file_response(Service& service, const std::string& name);

}  // namespace hexapla::serve
