#pragma once
// Vocabularies with two parts: a SentencePiece model that splits text into pieces, and a table that
// numbers them. Other systems use them to share one table between two languages with their own
// models (Marian, Hugging Face).
#include <string>
#include <vector>

#include "text/vocabulary/pieces/piece_model.h"

namespace hexapla::text {

struct PieceTable {
  std::vector<std::string> pieces;           // by id; "" for unused ids
  std::string start, end, unknown, padding;  // "<pad>": start of translations; start may be padding
};

// ">>de<<" at the beginning of a text selects the target language in OPUS-MT's models.
bool begins_text(std::string_view piece);

// A SentencePiece model that splits text like `model` and returns the table's ids. Pieces that only
// the table has can be decoded, and match characters that no piece spells; pieces that only the
// model has get ids beyond the table and are unknown. `name`: the table's. DataError: start, end or
// unknown is not in it, a piece is listed twice, or has invalid characters or length.
PieceModel with_ids_of(const PieceTable& table, const PieceModel& model, const std::string& name);

}  // namespace hexapla::text
