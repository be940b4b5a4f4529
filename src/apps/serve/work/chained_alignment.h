#pragma once
// The alignment of a translation via a third language.
#include "hexapla/translator.h"

namespace hexapla::serve {

// first: between the line and its translation; second: between that and its own translation. The
// weights are the product of the matrices; each word is linked to the source word of the largest
// weight. Empty if the words in between differ.
Alignment chained(const Alignment& first, Alignment second);

}  // namespace hexapla::serve
