#pragma once
// Attributes that people read: alternative texts, tooltips, hints in fields, a page's description.
#include <memory>
#include <string>

#include "text/document/document.h"

namespace hexapla::text::document {

// A page in which the values of alt, title, placeholder and the content of <meta name="description"> are translated,
// too (not those of elements with translate="no"). DataError as html_tokens().
std::shared_ptr<const Document> html_with_attributes(const std::string& page);

}  // namespace hexapla::text::document
