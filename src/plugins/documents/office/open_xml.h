#pragma once
// Microsoft Office documents since 2007 (Office Open XML): .docx, .pptx, .xlsx.
#include <memory>
#include <string>

#include "documents/document.h"

namespace hexapla::text::document {

// Translates paragraphs, headers, footers, notes, comments, text boxes and diagrams; slides and
// their notes; and cells that are not numbers or formulas. Sheet names and table column headers are
// kept, because formulas refer to them. DataError: it is not such a document, or Archive rejects
// it.
std::shared_ptr<const Document> open_xml(const std::string& content);

}  // namespace hexapla::text::document
