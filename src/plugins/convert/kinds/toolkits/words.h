#pragma once
// Vocabularies of toolkits that number tokens themselves: a list of tokens, and optionally the
// SentencePiece model or subword-nmt merges, stored with the checkpoint, that split text into them.
#include <string>
#include <vector>

#include "convert/foreign/foreign_model.h"
#include "convert/texts/token_list.h"

namespace hexapla::convert {

struct TokenSide {
  std::vector<std::string> tokens;  // by id
  TokenNames names;
  std::string path;          // of the list, for messages
  std::string pieces;        // the SentencePiece model; "": text is already split
  std::string opening = {};  // begins every source; "": nothing
  bool open_ended = false;   // sources have no end token
};

// Adds both vocabularies to the model, and a note if text must be split beforehand. DataError
// naming a path: the number of tokens differs from the model's table, or vocabulary_of_tokens()
// rejects them.
void put_words(ForeignModel& m, const TokenSide& source, const TokenSide& target);

// The SentencePiece model or merges named by the user, else the first of these names that exists in
// the folder; "": none.
std::string pieces_for(const std::string& asked, const std::string& folder, const std::vector<std::string>& names);

// The rows of an embedding table. DataError: no such tensor, or not a matrix.
int64_t table_rows(const ForeignTensors& tensors, const std::string& name);

// The folder of a file, without the last slash; ".": the working directory.
std::string folder_of(const std::string& path);

// The part after the last slash: files that a checkpoint names are looked for in its own folder.
std::string last_name(const std::string& path);

}  // namespace hexapla::convert
