#pragma once
// Byte-level BPE as transformers keeps it: vocab.json and merges.txt of GPT-2's kind.
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "text/vocabulary/piece_model.h"

namespace hexapla::convert {

struct ByteLevelPieces {
  std::vector<std::string> pieces;                          // by id; "" where no piece has this id
  std::vector<std::pair<std::string, std::string>> merges;  // the earliest first
  std::unordered_set<std::string> special;                  // that no text is cut into
  bool blank_first = false;                                 // a blank is put before every text
};

// <s>, </s>, <pad> and <unk> have their meaning; <unk> is the unknown piece. path: for messages. DataError: one of them
// is missing, a merge is of pieces that are not there, or a byte has no piece.
text::PieceModel byte_level_model(const ByteLevelPieces& from, const std::string& path);

// Whether a folder has such files.
bool has_byte_level_files(const std::string& folder);
// Of a folder with them; size: of the model's table. DataError naming the file: one is damaged, or has more pieces.
text::PieceModel read_byte_level_files(const std::string& folder, size_t size);

}  // namespace hexapla::convert
