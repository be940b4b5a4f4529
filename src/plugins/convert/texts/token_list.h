#pragma once
// Vocabularies that are plain lists of tokens, one per id, without a segmenter.
#include <cstdint>
#include <string>
#include <vector>

#include "text/vocabulary/pieces/piece_model.h"

namespace hexapla::convert {

// A text file with one token per line (lines may end with \r\n), a JSON list of strings, or a
// pickle (.pkl) of such a list or of a dictionary with it as "itos". DataError naming the file.
std::vector<std::string> read_token_list(const std::string& path);

// Whether this is a SentencePiece model, by its name; otherwise it is a list of tokens.
bool is_piece_model(const std::string& path);

// The SentencePiece model of an untrusted model. DataError naming the file.
text::PieceModel read_piece_model(const std::string& path);

struct TokenNames {
  std::string start, end, unknown, padding;  // padding may be empty: none
};
// Finds them among the names that systems use. DataError naming the file and the special token that
// is missing.
TokenNames find_token_names(const std::vector<std::string>& tokens, const std::string& path);

// The vocabulary of a model file (its bytes) with these ids. subwords: a SentencePiece model or
// subword-nmt merges (convert/texts/bpe_codes.h) that splits text into the tokens; empty: the text is
// already split, by blanks. path: the list, for messages. DataError: a special token is missing, a
// token is listed twice, or the text cannot be split beforehand because the tokens contain
// SentencePiece's mark.
std::string vocabulary_of_tokens(const std::vector<std::string>& tokens, const TokenNames& names,
                                 const std::string& subwords, const std::string& path);

// The vocabulary of one side from a user's files: a SentencePiece model (.spm, .model) with these
// ids, or a list of tokens, optionally with a SentencePiece model that splits text into them. size:
// rows of the model's table. UsageError naming the option: no file. DataError as above, or a
// different size.
std::string read_vocabulary(const std::string& path, const std::string& option, const std::string& subwords,
                            int64_t size);

}  // namespace hexapla::convert
