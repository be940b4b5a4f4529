#pragma once
// Restores text hidden from the model in its translations, next to the words that correspond to its
// neighbors (text/marked/protected_text.h).
#include <span>
#include <vector>

#include "decode/rescoring/aligner.h"
#include "decode/text/postprocess.h"

namespace hexapla::decode {

// translations: of each sentence. Translations of sentences without hidden text are unchanged, at
// no cost.
void put_back(const TextSides& sides, const SentenceSpan& sentences, std::span<std::vector<Translation>> translations,
              const Aligner& align);

// Writes the prefix at the start of a translation, or what there is of it, with its hidden text.
// spans: of the translation. before_hidden: hidden text follows.
void put_back_in_prefix(const SentenceConstraints& asked, std::string& text, std::span<text::TokenSpan> spans,
                        bool before_hidden = false);

}  // namespace hexapla::decode
