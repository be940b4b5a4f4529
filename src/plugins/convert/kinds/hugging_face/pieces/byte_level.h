#pragma once
// Byte-level BPE in transformers' format: vocab.json and merges.txt as in GPT-2.
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "text/vocabulary/pieces/piece_model.h"

namespace hexapla::convert {

struct ByteLevelPieces {
  std::vector<std::string> pieces;                          // by id; "" for unused ids
  std::vector<std::pair<std::string, std::string>> merges;  // earliest first
  std::unordered_set<std::string> special;                  // text is never split into these
  bool blank_first = false;                                 // every text gets a leading blank
};

// <s>, </s>, <pad> and <unk> have their usual meaning; <unk> is the unknown piece. path: for
// messages. DataError: one of them is missing, a merge names a missing piece, a byte has no piece.
text::PieceModel byte_level_model(const ByteLevelPieces& from, const std::string& path);

bool has_byte_level_files(const std::string& folder);
// Reads them. size: of the model's table. DataError naming the file: damaged, or too many pieces.
text::PieceModel read_byte_level_files(const std::string& folder, size_t size);

}  // namespace hexapla::convert
