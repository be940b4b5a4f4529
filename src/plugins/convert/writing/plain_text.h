#pragma once
// Text handling that other systems lack.
#include <string>

#include "text/vocabulary/vocabulary.h"

namespace hexapla::convert {

// For systems whose sources are pieces and </s>, and whose translations begin with any piece: what
// these vocabularies need beyond that, "source that does not end with </s>"; "": nothing.
std::string beyond_plain_text(const text::Vocabulary& source, const text::Vocabulary& target);

}  // namespace hexapla::convert
