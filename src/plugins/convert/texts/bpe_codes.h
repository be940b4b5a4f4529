#pragma once
// Byte pair encoding as in subword-nmt (Sennrich et al. 2016) and fastBPE: a file of merges, and
// tokens such as "th@@ e", where "@@" marks a token that does not end its word.
#include <string>
#include <vector>

#include "text/vocabulary/pieces/piece_model.h"

namespace hexapla::convert {

// Whether the file lists merges: "#version: ...", pairs with counts, or only pairs. DataError: no
// such file.
bool is_bpe_codes(const std::string& path);

// SentencePiece's name for a token: "th" for "th@@", "the\u2581" for "the", which ends a word.
std::string piece_of_bpe_token(const std::string& token);

// A SentencePiece model that splits blank-separated words into the pieces that the merges produce.
// tokens: the vocabulary's, for characters that occur in no merge. If two pairs produce the same
// piece, the first one counts. The model has no special pieces (text/vocabulary/pieces/piece_table.h adds
// them). DataError naming file and line: no pair, or merges of version 0.1, whose word ends differ.
text::PieceModel read_bpe_codes(const std::string& path, const std::vector<std::string>& tokens);

}  // namespace hexapla::convert
