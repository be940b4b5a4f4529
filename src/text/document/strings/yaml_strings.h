#pragma once
// A file of YAML whose values are texts (.yaml, .yml), as those of Rails and of apps.
#include <string>

#include "text/document/pieces.h"

namespace hexapla::text::document {

// Every string that is a value, as json_strings() has them: of an object or in a list, plain, in quotes or in a block;
// never a key, and none with a tag but !!str. Numbers, booleans, null and times stay, and so do comments, anchors,
// aliases, tags and blanks between them. A string keeps its style where the translation may have it, otherwise it gets
// quotes; one in quotes or plain that has several lines of its own gets double quotes, and \n between them. DataError:
// it is no YAML, larger than 4 MiB, or has more than 500 lists and objects in one another.
Pieces yaml_strings(const std::string& content);

}  // namespace hexapla::text::document
