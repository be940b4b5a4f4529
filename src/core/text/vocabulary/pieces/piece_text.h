#pragma once
// SentencePiece's answers in the form that all its versions share: serialized messages
// SentencePieceText (its sentencepiece.proto). Its classes for them came with 0.1.97.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/files/protobuf.h"

namespace hexapla::text {

// A piece of a text; views into the message.
struct PieceOfText {
  std::string_view piece, surface;  // surface: the part of the text that it stands for
  int32_t id = 0;
  size_t begin = 0, end = 0;  // bytes of the text
};

inline PieceOfText parse_piece_of_text(std::string_view message) {
  PieceOfText p;
  while (!message.empty()) {
    const ProtobufField field = take_field(message);
    if (field.number == 1) p.piece = field.content;
    if (field.number == 2) p.id = static_cast<int32_t>(field.value);
    if (field.number == 3) p.surface = field.content;
    if (field.number == 4) p.begin = field.value;
    if (field.number == 5) p.end = field.value;
  }
  return p;
}

// Whether a text was encoded as a whole. SentencePiece returns what it has when it fails, and adds
// the text itself only at the end (PopulateSentencePieceText()).
inline bool is_whole(std::string_view message) {
  while (!message.empty())
    if (take_field(message).number == 1) return true;
  return false;
}

// InternalError: not such a message.
inline std::vector<PieceOfText> pieces_of_text(std::string_view message) {
  std::vector<PieceOfText> all;
  while (!message.empty())
    if (const ProtobufField field = take_field(message); field.number == 2)
      all.push_back(parse_piece_of_text(field.content));
  return all;
}

}  // namespace hexapla::text
