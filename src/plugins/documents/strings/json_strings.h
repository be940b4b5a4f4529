#pragma once
// JSON files whose values are texts (.json).
#include <string>

#include "documents/pieces.h"

namespace hexapla::text::document {

// Translates every string value in objects and lists, except addresses and strings without letters;
// keys never. Messages with choices ("{n, plural, ..}") and everything else keep their bytes.
// DataError: it is not JSON, or too deep or too large for parse_json().
Pieces json_strings(const std::string& content);

}  // namespace hexapla::text::document
