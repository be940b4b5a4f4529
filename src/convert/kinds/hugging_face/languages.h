#pragma once
// The words of transformers' multilingual models: SentencePiece pieces in the numbers of a table or of fairseq, and
// languages. A language's piece is called as our vocabularies have it, ">>de<<", whatever it is called there ("__de__",
// "deu_Latn", "de_DE").
#include <string>

#include "convert/json_file.h"
#include "text/vocabulary/piece_table.h"

namespace hexapla::convert {

enum class LanguageStyle {
  none,        // BART: texts begin with <s>
  underlined,  // M2M-100: __de__, numbered behind vocab.json
  script,      // NLLB-200: deu_Latn
  country,     // mBART-50: de_DE
};

// ">>de<<" for what `piece` is called there; "": it is no language.
std::string language_piece(LanguageStyle style, const std::string& piece);

// The pieces of a folder by id, as many as `size`, and the SentencePiece model that cuts text into them. DataError
// naming the file: one is missing or damaged, an id is not below `size`, or no file says what the languages are.
struct NumberedPieces {
  text::PieceTable table;
  text::PieceModel model;
  std::string path;  // of the file that numbers them, for messages
};
NumberedPieces numbered_pieces(const std::string& folder, LanguageStyle style, size_t size);

}  // namespace hexapla::convert
