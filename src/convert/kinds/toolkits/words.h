#pragma once
// Vocabularies of toolkits that number tokens themselves: a list of tokens, and perhaps a SentencePiece model, or
// merges of subword-nmt, beside the checkpoint that cut text into them.
#include <string>
#include <vector>

#include "convert/foreign_model.h"
#include "convert/token_list.h"

namespace hexapla::convert {

struct TokenSide {
  std::vector<std::string> tokens;  // by id
  TokenNames names;
  std::string path;          // of what lists them, for messages
  std::string pieces;        // the SentencePiece model; "": text comes cut into tokens
  std::string opening = {};  // the token that every source begins with; "": none
  bool open_ended = false;   // sources end with their last token
};

// Puts both vocabularies into the model, and a note where text comes cut. DataError naming a path: the tokens are not
// as many as the model's table has rows, or vocabulary_of_tokens() refuses them.
void put_words(ForeignModel& m, const TokenSide& source, const TokenSide& target);

// The SentencePiece model or the merges that the user names, or, in the folder, the first of these names that is there;
// "": none.
std::string pieces_for(const std::string& asked, const std::string& folder, const std::vector<std::string>& names);

// The rows of a table of embeddings. DataError: there is no such tensor, or it is no matrix.
int64_t table_rows(const ForeignTensors& tensors, const std::string& name);

// The folder that a file is in, without the last slash; ".": the one that the program runs in.
std::string folder_of(const std::string& path);

// What follows the last slash: what a checkpoint says of files elsewhere is looked for beside it.
std::string last_name(const std::string& path);

}  // namespace hexapla::convert
