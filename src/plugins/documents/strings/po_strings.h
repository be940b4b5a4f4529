#pragma once
// Messages of GNU gettext (.po, .pot).
#include <string_view>

#include "documents/pieces.h"

namespace hexapla::text::document {

// Fills every empty msgstr with the translation of its msgid. msgstr[0] translates the singular and
// the other forms the plural; if msgstr[0] is the only form, it translates the plural. The header,
// translated entries (including fuzzy ones, which need a reviewer) and obsolete ones are kept.
// Messages with choices stay empty.
Pieces po_strings(std::string_view content);

}  // namespace hexapla::text::document
