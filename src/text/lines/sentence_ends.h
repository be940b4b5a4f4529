#pragma once
// Where sentences end in running text of any language (docs/adr/0090-where-sentences-end.md).
#include <string_view>

namespace hexapla::text {

// The byte after the first sentence of a text, what closes behind its mark (quotes, brackets) counted; the size of the
// text where it has only one. `all_lower`: the text has no capital letters, so none begins a sentence.
size_t end_of_sentence(std::string_view text, bool all_lower);

// Whether the text has letters with case and no capital one.
bool is_all_lower(std::string_view text);

}  // namespace hexapla::text
