#pragma once
// What some vocabularies do with text that other systems do not.
#include <string>

#include "text/vocabulary/vocabulary.h"

namespace hexapla::convert {

// Of systems whose sources are pieces and </s>, and whose translations begin with any piece: what they have no such
// thing of, "source that does not end with </s>"; "": they can say all that these vocabularies do.
std::string beyond_plain_text(const text::Vocabulary& source, const text::Vocabulary& target);

}  // namespace hexapla::convert
