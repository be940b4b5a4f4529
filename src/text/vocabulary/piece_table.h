#pragma once
// Vocabularies that are two things: a SentencePiece model that cuts text into pieces, and a table that numbers them.
// Other systems have them, so that two languages with a model each share one table (Marian, Hugging Face).
#include <string>
#include <vector>

#include "text/vocabulary/piece_model.h"

namespace hexapla::text {

struct PieceTable {
  std::vector<std::string> pieces;           // by id; "" where no piece has this id
  std::string start, end, unknown, padding;  // "<pad>": with which a translation starts; start may be padding
};

// ">>de<<": says at the beginning of a text which language to translate it to, in models of the OPUS-MT project.
bool begins_text(std::string_view piece);

// One SentencePiece model that cuts text as `model` does and gives ids of the table. A piece that only the table has is
// there to be read, and for characters that no piece spells; one that only the model has stands behind the ids and is
// unknown. `name` is that of the table: DataError: start, end or unknown is not in it, a piece is there twice, or has
// characters or a length that no piece can have.
PieceModel with_ids_of(const PieceTable& table, const PieceModel& model, const std::string& name);

}  // namespace hexapla::text
