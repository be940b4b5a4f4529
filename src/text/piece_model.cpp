#include "text/piece_model.h"

#include <array>
#include <bit>

#include "base/error.h"
#include "base/varint.h"

namespace hexapla {
namespace {

// The wire format of protocol buffers: f(field, number, bytes) for each field; one of the two is its value.
template <class F>
void for_each_field(std::string_view message, F&& f) {
  auto take = [&](uint64_t size) {
    HEXAPLA_CHECK(size <= message.size(), "a field is cut short");
    const std::string_view bytes = message.substr(0, size);
    message.remove_prefix(size);
    return bytes;
  };
  while (!message.empty()) {
    const uint64_t key = take_varint(message);
    uint64_t number = 0;
    std::string_view bytes;
    switch (key & 7) {
      case 0:
        number = take_varint(message);
        break;
      case 1:
        bytes = take(8);
        break;
      case 2:
        bytes = take(take_varint(message));
        break;
      case 5:
        bytes = take(4);
        break;
      default:
        fail(cat("a field of unknown type ", key & 7));
    }
    f(key >> 3, number, bytes);
  }
}

float little_endian_float(std::string_view bytes) {
  HEXAPLA_CHECK(bytes.size() == 4, "a score of ", bytes.size(), " bytes");
  uint32_t bits = 0;
  for (size_t i = 0; i < 4; ++i) bits |= uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return std::bit_cast<float>(bits);
}

PieceModel::Piece parse_piece(std::string_view message) {
  PieceModel::Piece piece;
  for_each_field(message, [&](uint64_t field, uint64_t number, std::string_view bytes) {
    if (field == 1) piece.text = bytes;
    if (field == 2) piece.score = little_endian_float(bytes);
    if (field == 3) piece.type = static_cast<PieceModel::Type>(number);
  });
  return piece;
}

}  // namespace

PieceModel PieceModel::parse(std::string_view bytes, const std::string& name) {
  PieceModel model;
  try {
    for_each_field(bytes, [&](uint64_t field, uint64_t, std::string_view message) {
      if (field == 1) model.pieces.push_back(parse_piece(message));
      if (field != 2) return;
      for_each_field(message, [&](uint64_t spec, uint64_t number, std::string_view) {
        if (spec == 3) model.kind = static_cast<Kind>(number);
      });
    });
  } catch (const Error& e) {
    throw DataError(
        cat(name, " is not a SentencePiece model (", e.what(), "); it may be cut short or of another kind"));
  }
  return model;
}

std::string name_of(PieceModel::Kind kind) {
  constexpr std::array names{"?", "unigram", "bpe", "word", "char"};
  return names[static_cast<size_t>(kind) % names.size()];
}

}  // namespace hexapla
