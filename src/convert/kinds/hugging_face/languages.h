#pragma once
// The words of transformers' multilingual models: SentencePiece pieces in the numbers of a table or of fairseq, or
// byte-level BPE, and languages. A language's piece is called as our vocabularies have it, ">>de<<", whatever it is
// called there ("__de__", "deu_Latn", "de_DE").
#include <string>

#include "convert/json_file.h"
#include "text/vocabulary/piece_model.h"

namespace hexapla::convert {

enum class LanguageStyle {
  none,        // BART: texts begin with <s>
  underlined,  // M2M-100: __de__, numbered behind vocab.json
  script,      // NLLB-200: deu_Latn
  country,     // mBART-50: de_DE
};

// ">>de<<" for what `piece` is called there; "": it is no language.
std::string language_piece(LanguageStyle style, const std::string& piece);

// The pieces of a folder by id, as many as `size`, and how text is cut into them: sentencepiece.bpe.model, for BART
// vocab.json with merges.txt, else tokenizer.json. DataError naming the file: one is missing or damaged, an id is not
// below `size`, or no file says what the languages are.
text::PieceModel pieces_in(const std::string& folder, LanguageStyle style, size_t size);

}  // namespace hexapla::convert
