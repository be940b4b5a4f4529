#pragma once
// File uploads and downloads.
#include <memory>
#include <string>

#include "documents/formats/formats.h"
#include "serve/routes/routes.h"

namespace hexapla::serve {

struct SentFile {
  std::string name;
  const text::document::Format* format;
  std::string content;
};
// The uploaded file of a request. name: used if the upload has none. HttpError 400: missing, empty
// or of an unsupported format; 403: the server does not translate files.
SentFile sent_file(const Service& service, const Parameters& parameters, const std::string& name = "");
// HttpError 400: the content does not match the format, or has no attributes to translate.
std::shared_ptr<const text::document::Document> read_document(const SentFile& file, bool attributes = false);
// "film.srt" -> "film_de.srt"
std::string translated_name(const SentFile& file, const std::string& target);

std::string percent_encoded(const std::string& text);
// A file from the shelf. HttpError 404: it does not exist (any more); 403 as in sent_file().
Response file_response(Service& service, const std::string& name);

}  // namespace hexapla::serve
