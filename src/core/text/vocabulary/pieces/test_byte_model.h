#pragma once
// For tests: small byte-level BPE vocabularies.
#include <string>
#include <utility>
#include <vector>

#include "text/vocabulary/pieces/byte_words.h"
#include "text/vocabulary/pieces/piece_model.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::text {

// <s>, </s>, <unk>, the 256 bytes, and the results of the merges.
inline PieceModel byte_model(const std::vector<std::pair<std::string, std::string>>& merges) {
  PieceModel model;
  model.kind = PieceModel::Kind::byte_bpe;
  model.normalizer = {.charsmap = "", .add_dummy_prefix = false, .remove_extra_whitespaces = false};
  model.pieces = {{"<s>", 0, PieceModel::Type::control},
                  {"</s>", 0, PieceModel::Type::control},
                  {"<unk>", 0, PieceModel::Type::unknown}};
  for (int byte = 0; byte < 256; ++byte)
    model.pieces.push_back({visible_bytes(std::string(1, static_cast<char>(byte))), 0, PieceModel::Type::normal});
  const auto id = [&](const std::string& piece) {
    for (size_t i = 0; i < model.pieces.size(); ++i)
      if (model.pieces[i].text == piece) return static_cast<int32_t>(i);
    return -1;
  };
  for (const auto& [left, right] : merges) {
    if (id(left + right) < 0) model.pieces.push_back({left + right, 0, PieceModel::Type::normal});
    model.merges.emplace_back(id(left), id(right));
  }
  return model;
}
inline Vocabulary vocabulary_of(const PieceModel& model) { return Vocabulary::parse(model.serialized(), "v"); }

}  // namespace hexapla::text
