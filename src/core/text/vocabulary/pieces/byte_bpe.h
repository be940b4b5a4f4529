#pragma once
// Byte-level BPE (Radford et al. 2019, GPT-2; BART): text is converted to bytes, and the bytes of a
// word are merged pair by pair.
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/vocabulary/pieces/piece_model.h"
#include "text/words.h"

namespace hexapla::text {

class ByteBpe {
 public:
  // model: a byte_bpe model checked by PieceModel::parse().
  explicit ByteBpe(const PieceModel& model);

  struct Token {
    int32_t id;
    TokenSpan span;
  };
  // Every byte of the text belongs to one token.
  std::vector<Token> encode(std::string_view text) const;
  // The bytes of a piece, possibly part of a character: none for a control piece, " ⁇ " for the
  // unknown one.
  const std::string& bytes_of(int32_t id) const { return bytes_[id]; }

 private:
  struct Merge {
    size_t rank;
    int32_t id;  // the merged piece
  };
  static uint64_t key(int32_t left, int32_t right) {
    return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
  }
  void merge_word(std::string_view word, size_t from, std::vector<Token>& to) const;

  bool blank_first_;  // treats every text as if it began with a blank
  std::vector<std::string> bytes_;
  std::vector<int32_t> of_byte_;
  std::unordered_map<uint64_t, Merge> merges_;
};

}  // namespace hexapla::text
