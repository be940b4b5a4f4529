#pragma once
// Attributes that people read: alternative texts, tooltips, placeholders, a page's description.
#include <memory>
#include <string>

#include "documents/document.h"

namespace hexapla::text::document {

// A page whose alt, title and placeholder attributes and <meta name="description"> content are
// translated too, except in elements with translate="no". Throws DataError like html_tokens().
std::shared_ptr<const Document> html_with_attributes(const std::string& page);

}  // namespace hexapla::text::document
