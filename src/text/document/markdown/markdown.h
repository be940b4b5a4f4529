#pragma once
// Markdown, as GitHub has it (.md).
#include <string>

#include "text/document/pieces.h"

namespace hexapla::text::document {

// Paragraphs, headings and cells of tables are translated, each from one hard line break to the next; a paragraph of
// several lines becomes one line. Code, HTML, images, addresses, definitions, front matter, marks of lists, quotes and
// tables keep their bytes. What would be markup in a translation gets a backslash.
Pieces markdown(const std::string& content);

}  // namespace hexapla::text::document
