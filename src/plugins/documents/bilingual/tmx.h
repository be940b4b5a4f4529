#pragma once
// Translation memories (TMX): .tmx.
#include <memory>
#include <string>

#include "documents/document.h"

namespace hexapla::text::document {

// Fills units whose translation is missing or empty. The source language is the header's srclang,
// or the unit's first one if that is *all*; the target is the file's other language. DataError: the
// file is not TMX, or does not have exactly two languages.
std::shared_ptr<const Document> tmx(const std::string& content);

}  // namespace hexapla::text::document
