#pragma once
// Books: .epub.
#include <memory>
#include <string>

#include "text/document/document.h"

namespace hexapla::text::document {

// The text of its pages and of its contents; title and author stay, because readers know a book by them. DataError: it
// is no book, is encrypted, has a page that is not well-formed, or is refused as Archive says.
std::shared_ptr<const Document> epub(const std::string& content);

}  // namespace hexapla::text::document
