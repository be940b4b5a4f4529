#pragma once
// The alignment of a translation through a third language.
#include "hexapla/translator.h"

namespace hexapla::serve {

// first: of the line and its translation; second: of that and its own translation. The weights are the product of both
// matrices, a link leads from each word to the source word that has most. Empty where the words between differ.
Alignment chained(const Alignment& first, Alignment second);

}  // namespace hexapla::serve
