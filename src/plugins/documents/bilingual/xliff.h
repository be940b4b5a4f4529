#pragma once
// Translators' files (XLIFF 1.2 and 2): .xlf, .xliff.
#include <memory>
#include <string>

#include "documents/document.h"

namespace hexapla::text::document {

// Fills segments whose target is missing, empty or in a state that means untranslated, and marks
// them as machine translations. Other segments are kept, and so are units that are approved or must
// not be translated. DataError: the file is not XLIFF, or is version 2 without a target language.
std::shared_ptr<const Document> xliff(const std::string& content);

}  // namespace hexapla::text::document
