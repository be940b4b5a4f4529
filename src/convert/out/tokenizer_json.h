#pragma once
// A vocabulary as a tokenizer.json, which Hugging Face's tokenizers read (github.com/huggingface/tokenizers).
#include <string>

#include "text/vocabulary/piece_model.h"

namespace hexapla::convert {

// Why a tokenizer.json cannot say this vocabulary; "": it can. It is for unigram models alone: those of BPE there are
// lists of merges, which a SentencePiece model does not have.
std::string why_no_tokenizer_json(const text::PieceModel& pieces);

// The file: a unigram model with the same pieces, ids and scores; a text ends with what ends sentences here. Texts that
// hold the name of a special piece, "</s>", become that piece there, and here letters.
std::string tokenizer_json(const text::PieceModel& pieces);

}  // namespace hexapla::convert
