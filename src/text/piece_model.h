#pragma once
// What a SentencePiece model file says of its pieces, which its library does not tell (sentencepiece_model.proto).
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla {

struct PieceModel {
  enum class Kind { unigram = 1, bpe = 2, word = 3, character = 4 };
  enum class Type { normal = 1, unknown = 2, control = 3, user = 4, unused = 5, byte = 6 };
  struct Piece {
    std::string text;
    float score = 0;  // unigram: log of its probability; bpe: the higher, the earlier it is merged
    Type type = Type::normal;
  };
  Kind kind = Kind::unigram;
  std::vector<Piece> pieces;  // by id

  // DataError naming `name`: the bytes are no such model.
  static PieceModel parse(std::string_view bytes, const std::string& name);
};

std::string name_of(PieceModel::Kind kind);  // "unigram", "bpe", "word", "char"

}  // namespace hexapla
