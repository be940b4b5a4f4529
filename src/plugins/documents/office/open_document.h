#pragma once
// OpenDocument files (LibreOffice and others): .odt, .odp.
#include <memory>
#include <string>

#include "documents/document.h"

namespace hexapla::text::document {

// Translates paragraphs and headings, including notes, comments, text boxes, tables, headers and
// footers. DataError: it is not OpenDocument, has a password, or Archive rejects it.
std::shared_ptr<const Document> open_document(const std::string& content);

}  // namespace hexapla::text::document
