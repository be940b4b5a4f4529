#pragma once
// Byte pair encoding as subword-nmt (Sennrich et al. 2016) and fastBPE have it: a file of merges, and tokens such as
// "th@@ e", of which the first goes on.
#include <string>
#include <vector>

#include "text/vocabulary/piece_model.h"

namespace hexapla::convert {

// Whether a file is one of merges: a line "#version: ...", or pairs with counts. DataError: there is none.
bool is_bpe_codes(const std::string& path);

// What SentencePiece calls a token: "th" for "th@@", which goes on, "the\u2581" for "the", which ends a word.
std::string piece_of_bpe_token(const std::string& token);

// A SentencePiece model that cuts words, which have blanks between them, into the pieces that the merges make. tokens:
// of the vocabulary, for characters that are in no merge. Pieces that two pairs make are merged by the first of them.
// It has no special pieces (text/vocabulary/piece_table.h puts them in). DataError naming file and line: no pair, or
// merges of version 0.1, whose words end otherwise.
text::PieceModel read_bpe_codes(const std::string& path, const std::vector<std::string>& tokens);

}  // namespace hexapla::convert
