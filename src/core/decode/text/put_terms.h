#pragma once
// Writes the terms of a glossary into a finished translation, in place of the words that are aligned
// with their sources. Everything else stays as the model wrote it.
#include <string>
#include <vector>

#include "decode/rescoring/aligner.h"
#include "decode/text/preprocess.h"

namespace hexapla::decode {

// A translation of a sentence that has terms, to be changed.
struct TermText {
  size_t sentence;
  const text::Ids& ids;
  std::string& text;
  std::vector<text::TokenSpan>& spans;  // of the ids in the text; empty: as Vocabulary::spans_in()
  std::vector<std::string>& missed;     // sources of terms that cannot be used are added
};

// A term counts as used if one of its forms stands in the translation of its source. Of several forms it
// writes the one whose ending is most like that of the words that it replaces.
void put_terms(const TextSides& sides, const SentenceSpan& sentences, const std::vector<TermText>& texts,
               const Aligner& align);

}  // namespace hexapla::decode
