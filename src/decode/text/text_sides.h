#pragma once
// What lies on the two sides of a search, text by text: the vocabularies, and how much the models take.
#include <memory>

#include "decode/constraints/piece_texts.h"
#include "decode/models/ensemble.h"

namespace hexapla::decode {

// Borrows the vocabularies.
struct TextSides {
  const text::Vocabulary& source;
  const text::Vocabulary& target;
  std::shared_ptr<const PieceTexts> pieces;  // of the target
  int64_t positions;                         // that every model has

  // UsageError: check(ensemble). InternalError: a vocabulary that does not have the size that the models were made for.
  TextSides(const Ensemble& ensemble, const text::Vocabulary& source_side, const text::Vocabulary& target_side);
};

}  // namespace hexapla::decode
