#pragma once
// Messages of GNU gettext (.po, .pot).
#include <string_view>

#include "text/document/pieces.h"

namespace hexapla::text::document {

// Every msgstr that is empty becomes the translation of its msgid; msgstr[0] of the singular, the others, and a
// msgstr[0] that has no others, of the plural. The header, entries that have a translation (fuzzy ones, too, which
// somebody has to look at) and obsolete ones stay as they are. Messages with choices stay empty.
Pieces po_strings(std::string_view content);

}  // namespace hexapla::text::document
