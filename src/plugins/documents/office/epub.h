#pragma once
// E-books: .epub.
#include <memory>
#include <string>

#include "documents/document.h"

namespace hexapla::text::document {

// Translates the text of the pages and the table of contents; title and author are kept, because
// reading apps identify a book by them. DataError: it is not an EPUB, is encrypted, has a page that
// is not well-formed, or Archive rejects it.
std::shared_ptr<const Document> epub(const std::string& content);

}  // namespace hexapla::text::document
