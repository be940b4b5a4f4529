#pragma once
// Translation memories (TMX): .tmx.
#include <memory>
#include <string>

#include "text/document/document.h"

namespace hexapla::text::document {

// Units without a translation, or with an empty one, get one. They are translated from the language of the header
// (srclang), or where that is *all* the first one, into the other language that the file has. DataError: it is not TMX,
// or does not have exactly two languages.
std::shared_ptr<const Document> tmx(const std::string& content);

}  // namespace hexapla::text::document
