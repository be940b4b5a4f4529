#pragma once
// The two sides of a search: the vocabularies and the models' limits.
#include <memory>

#include "decode/constraints/piece_texts.h"
#include "decode/search/ensemble.h"

namespace hexapla::decode {

// Borrows the vocabularies.
struct TextSides {
  const text::Vocabulary& source;
  const text::Vocabulary& target;
  std::shared_ptr<const PieceTexts> pieces;  // of the target vocabulary
  int64_t positions;                         // that every model supports

  // UsageError: check(ensemble). InternalError: a vocabulary size differs from the model's.
  TextSides(const Ensemble& ensemble, const text::Vocabulary& source_side, const text::Vocabulary& target_side);
};

}  // namespace hexapla::decode
