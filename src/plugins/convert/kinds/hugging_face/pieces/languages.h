#pragma once
// Vocabularies of transformers' multilingual models: SentencePiece pieces, numbered by a table or
// as in fairseq, or byte-level BPE, plus languages. A language's piece is ">>de<<" in our
// vocabularies, and "__de__", "deu_Latn" or "de_DE" in theirs.
#include <string>

#include "convert/texts/json_file.h"
#include "text/vocabulary/pieces/piece_model.h"

namespace hexapla::convert {

enum class LanguageStyle {
  none,        // BART: texts begin with <s>
  underlined,  // M2M-100: __de__, numbered after vocab.json
  script,      // NLLB-200: deu_Latn
  country,     // mBART-50: de_DE
};

// Converts their name `piece` to ">>de<<"; "": not a language.
std::string language_piece(LanguageStyle style, const std::string& piece);

// The folder's `size` pieces by id and how text is split into them: from sentencepiece.bpe.model,
// for BART vocab.json with merges.txt, else tokenizer.json. DataError naming the file: missing or
// damaged, an id >= `size`, or no file lists the languages.
text::PieceModel pieces_in(const std::string& folder, LanguageStyle style, size_t size);

}  // namespace hexapla::convert
