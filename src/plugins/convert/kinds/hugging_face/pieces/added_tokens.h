#pragma once
// Tokens that were added to a tokenizer of Hugging Face (add_tokens, add_special_tokens).
#include <string>
#include <vector>

#include "text/vocabulary/pieces/piece_model.h"

namespace hexapla::convert {

struct AddedToken {
  size_t id;
  std::string text;
  bool special;  // left out of translations
  text::PieceModel::Added how;
};

// All tokens that the tokenizer's files give a number besides its vocabulary, which include its own
// special ones: "added_tokens_decoder" of tokenizer_config.json, "added_tokens" of tokenizer.json
// and added_tokens.json, the first of which counts. DataError naming the file: an id >= size, no
// text, or a property that is no boolean.
std::vector<AddedToken> read_added_tokens(const std::string& folder, size_t size);

// Makes those of the pieces that users added pieces that are found in texts. by_library: by Hugging
// Face's tokenizers library, or by transformers' own code in Python. DataError naming the token: it
// is a special one without a number.
void put_added_tokens(text::PieceModel& pieces, const std::vector<AddedToken>& tokens, const std::string& folder,
                      bool by_library);

}  // namespace hexapla::convert
