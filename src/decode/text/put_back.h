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

}  // namespace hexapla::decode
