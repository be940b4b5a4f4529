#pragma once
// A tokenizer.json whose long lists are taken while parsing: memory is proportional to the file.
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace hexapla::convert {

struct TokenizerFile {
  nlohmann::json rest;                                      // everything except the lists below
  std::vector<std::pair<std::string, double>> scored;       // "model.vocab" as a list of pieces with scores, by id
  std::vector<std::string> pieces;                          // "model.vocab" as an object of pieces with ids, by id
  std::vector<std::pair<std::string, std::string>> merges;  // "model.merges": "a b" or ["a", "b"]
};

// size: the number of ids. DataError naming the file: not a JSON object, too deep, an id >= size or
// a duplicate id, or other values in the three lists.
TokenizerFile read_tokenizer_file(const std::string& path, size_t size);

}  // namespace hexapla::convert
