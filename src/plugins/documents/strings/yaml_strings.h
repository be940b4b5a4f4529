#pragma once
// YAML files whose values are texts (.yaml, .yml), such as those of Rails and of apps.
#include <string>

#include "documents/pieces.h"

namespace hexapla::text::document {

// Translates string values as json_strings() does, in objects and lists, plain, quoted or in
// blocks; never keys, nor values with a tag other than !!str. Numbers, booleans, null, times,
// comments, anchors, aliases, tags and whitespace are kept. A string keeps its style if the
// translation allows it, otherwise it is quoted; a quoted or plain string with several lines
// becomes double-quoted, with \n between the lines. DataError: it is not YAML, is larger than 4
// MiB, or nests more than 500 lists and objects.
Pieces yaml_strings(const std::string& content);

}  // namespace hexapla::text::document
