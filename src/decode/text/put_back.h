#pragma once
// What the model did not see of a sentence comes back into its translations, beside the words that its neighbors became
// (text/marked/protected_text.h).
#include <span>
#include <vector>

#include "decode/rescoring/aligner.h"
#include "decode/text/postprocess.h"

namespace hexapla::decode {

// translations: of each sentence. Those of sentences that the model saw whole stay as they are, and cost nothing.
void put_back(const TextSides& sides, const SentenceSpan& sentences, std::span<std::vector<Translation>> translations,
              const Aligner& align);

}  // namespace hexapla::decode
