#pragma once
// A tokenizer.json: its long lists are taken as the parser goes along, so that memory stays in proportion to the file.
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace hexapla::convert {

struct TokenizerFile {
  nlohmann::json rest;                                      // all but what follows
  std::vector<std::pair<std::string, double>> scored;       // "model.vocab" as a list of pieces with scores, by id
  std::vector<std::string> pieces;                          // "model.vocab" as an object of pieces with ids, by id
  std::vector<std::pair<std::string, std::string>> merges;  // "model.merges": "a b" or ["a", "b"]
};

// size: as many ids there may be. DataError naming the file: no JSON object, too deep, an id from `size` on or twice,
// or other values in the three lists.
TokenizerFile read_tokenizer_file(const std::string& path, size_t size);

}  // namespace hexapla::convert
