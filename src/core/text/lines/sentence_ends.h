#pragma once
// Sentence ends in running text of any language (docs/adr/0090-where-sentences-end.md).
#include <string_view>

namespace hexapla::text {

// The byte after the first sentence, including quotes and brackets that close after its mark; the
// text's size if there is only one sentence. `all_lower`: the text has no capitals, so none begins
// a sentence.
size_t end_of_sentence(std::string_view text, bool all_lower);

// Whether the text has cased letters but no capitals.
bool is_all_lower(std::string_view text);

}  // namespace hexapla::text
