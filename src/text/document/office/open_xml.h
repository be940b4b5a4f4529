#pragma once
// Documents of Microsoft Office since 2007 (Office Open XML): .docx, .pptx, .xlsx.
#include <memory>
#include <string>

#include "text/document/document.h"

namespace hexapla::text::document {

// The text of paragraphs, headers, footers, notes, comments, text boxes and diagrams; on slides and in their notes; in
// cells that are no numbers or formulas. Names of sheets and the heads of tables stay, because formulas refer to them.
// DataError: it is no such document, or refused as Archive says.
std::shared_ptr<const Document> open_xml(const std::string& content);

}  // namespace hexapla::text::document
