#pragma once
// A vocabulary as tokenizer.json for Hugging Face's tokenizers (github.com/huggingface/tokenizers).
#include <string>

#include "text/vocabulary/pieces/piece_model.h"

namespace hexapla::convert {

// Why tokenizer.json cannot express this vocabulary; "": it can. Only unigram models are supported:
// BPE needs lists of merges, which SentencePiece models do not have.
std::string why_no_tokenizer_json(const text::PieceModel& pieces);

// The file: a unigram model with the same pieces, ids and scores; texts end with the same token.
// The name of a special piece in a text, "</s>", becomes that piece there, but letters here.
std::string tokenizer_json(const text::PieceModel& pieces);

}  // namespace hexapla::convert
