#pragma once
// Documents of LibreOffice and others (OpenDocument): .odt, .odp.
#include <memory>
#include <string>

#include "text/document/document.h"

namespace hexapla::text::document {

// The text of paragraphs and headings with their notes, comments, text boxes and tables; of headers and footers.
// DataError: it is no such document, has a password, or is refused as Archive says.
std::shared_ptr<const Document> open_document(const std::string& content);

}  // namespace hexapla::text::document
