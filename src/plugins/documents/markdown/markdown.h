#pragma once
// Markdown in GitHub's dialect (.md).
#include <string>

#include "documents/pieces.h"

namespace hexapla::text::document {

// Translates paragraphs, headings and table cells, each split at hard line breaks; a paragraph of
// several lines becomes one line. Code, HTML, images, addresses, definitions, front matter and the
// marks of lists, quotes and tables keep their bytes. Characters of a translation that would be
// markup are escaped with a backslash.
Pieces markdown(const std::string& content);

}  // namespace hexapla::text::document
