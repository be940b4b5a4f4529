#pragma once
// tokenizer.json of the tokenizers package, as the source of a vocabulary: unigram and BPE whose pieces have
// SentencePiece's mark, and byte-level BPE.
#include <string>

#include "convert/kinds/hugging_face/languages.h"
#include "text/vocabulary/piece_model.h"

namespace hexapla::convert {

// The pieces by id, `size` of them, and how text is cut into them; languages are called as `style` says. Where the file
// leaves blanks at the ends of a line, they are dropped if it makes one of several. DataError naming file and key: the
// file is damaged or has more pieces, or its normalizer, pre-tokenizer, post-processor, decoder or model does what no
// vocabulary here does.
text::PieceModel read_tokenizer_json(const std::string& path, LanguageStyle style, size_t size);

}  // namespace hexapla::convert
