#pragma once
// Vocabularies that are lists of tokens, one for each id, without anything that cuts text into them.
#include <cstdint>
#include <string>
#include <vector>

#include "text/vocabulary/piece_model.h"

namespace hexapla::convert {

// A text file with one token on each line (lines may end with \r\n), a JSON list of texts, or a pickle (.pkl) of a list
// of texts, also as "itos" of a dictionary. DataError naming the file.
std::vector<std::string> read_token_list(const std::string& path);

// A SentencePiece model beside the model of a stranger. DataError naming the file.
text::PieceModel read_piece_model(const std::string& path);

// What the tokens with a meaning are called.
struct TokenNames {
  std::string start, end, unknown, padding;  // padding may be empty: there is none
};
// Those among the names that systems use. DataError naming the file and the meaning: there is none.
TokenNames find_token_names(const std::vector<std::string>& tokens, const std::string& path);

// The vocabulary of a model file (its bytes) with these ids. subwords: a SentencePiece model, or merges of subword-nmt
// (convert/bpe_codes.h), that cuts text into the tokens; empty: text comes cut into tokens, with blanks between them.
// path: the list, for messages. DataError: a token with a meaning is missing, one is there twice, or text cannot come
// cut because tokens have SentencePiece's mark in them.
std::string vocabulary_of_tokens(const std::vector<std::string>& tokens, const TokenNames& names,
                                 const std::string& subwords, const std::string& path);

// The vocabulary of a side from a user's files: a SentencePiece model (.spm, .model) with these ids, or a list of
// tokens, perhaps with a SentencePiece model that cuts text into them. size: rows of the model's table. UsageError
// naming the option: no file. DataError as above, or another size.
std::string read_vocabulary(const std::string& path, const std::string& option, const std::string& subwords,
                            int64_t size);

}  // namespace hexapla::convert
