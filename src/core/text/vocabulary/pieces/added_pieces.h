#pragma once
// Pieces that were added to a trained vocabulary, as by add_tokens() of Hugging Face's tokenizers.
// They are found in a text first, and the text between them is split into pieces on its own.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/vocabulary/pieces/charsmap.h"
#include "text/vocabulary/pieces/piece_model.h"
#include "text/vocabulary/pieces/piece_trie.h"

namespace hexapla::text {

class AddedPieces {
 public:
  explicit AddedPieces(const PieceModel& model);
  bool empty() const { return pieces_.empty(); }
  bool by_library() const { return by_library_; }
  bool has(int32_t id) const { return std::find(ids_.begin(), ids_.end(), id) != ids_.end(); }

  struct Part {
    int32_t id;        // -1: text
    AlignedText from;  // its text, and where that is in the whole
  };
  // The parts in order; the text itself if it has no added piece, nothing if the vocabulary has none.
  // Text between pieces that are found by the library is normalized, and a blank before such a piece
  // is a piece of its own.
  std::vector<Part> split(std::string_view text) const;

 private:
  using Parts = std::vector<Part>;
  AlignedText normalized(const AlignedText& text) const;
  void find_by_library(const PieceTrie& trie, const AlignedText& text, Parts& to) const;
  Parts split_by_library(const AlignedText& text) const;
  Parts with_blanks(Parts parts) const;
  Parts split_in_python(const AlignedText& text) const;

  bool by_library_, joins_blanks_;
  int32_t blank_;  // the id of a blank alone
  std::string charsmap_;
  std::vector<PieceModel::Piece> pieces_;
  std::vector<int32_t> ids_;    // of pieces_
  PieceTrie raw_, normalized_;  // indices of pieces_
};

}  // namespace hexapla::text
