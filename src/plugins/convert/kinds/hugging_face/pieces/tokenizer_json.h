#pragma once
// Vocabularies from the tokenizers package's tokenizer.json: unigram and BPE whose pieces have
// SentencePiece's mark, and byte-level BPE.
#include <string>

#include "convert/kinds/hugging_face/pieces/languages.h"
#include "text/vocabulary/pieces/piece_model.h"

namespace hexapla::convert {

// The `size` pieces by id and how text is split into them; `style` determines the names of
// languages. If the tokenizer merges runs of blanks, blanks at the end of a line are dropped,
// although it keeps them. DataError naming file and key: damaged, more pieces, or a normalizer,
// pre-tokenizer, post-processor, decoder or model that our vocabularies cannot reproduce.
text::PieceModel read_tokenizer_json(const std::string& path, LanguageStyle style, size_t size);

}  // namespace hexapla::convert
