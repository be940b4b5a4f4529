#pragma once
// A file of JSON whose values are texts (.json).
#include <string>

#include "text/document/pieces.h"

namespace hexapla::text::document {

// Every string that is a value, of an object or in a list, but for addresses and strings without letters; never a key.
// Messages with choices ("{n, plural, ..}") stay as they are. Everything else keeps its bytes. DataError: it is no
// JSON, or too deep or too large for parse_json().
Pieces json_strings(const std::string& content);

}  // namespace hexapla::text::document
