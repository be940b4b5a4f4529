#pragma once
// Files of translators (XLIFF 1.2 and 2): .xlf, .xliff.
#include <memory>
#include <string>

#include "text/document/document.h"

namespace hexapla::text::document {

// Segments that have no target, or an empty one, or one whose state says that it is not translated, get one, marked as
// a machine's. Others stay, and so do units that are approved or not to be translated. DataError: it is not XLIFF, or
// version 2 without the language that it is translated into.
std::shared_ptr<const Document> xliff(const std::string& content);

}  // namespace hexapla::text::document
