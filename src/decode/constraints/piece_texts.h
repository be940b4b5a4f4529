#pragma once
// Text of a translation's ids while it is being written, for constraints on text.
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "text/vocabulary/vocabulary.h"

namespace hexapla::decode {

class PieceTexts {
 public:
  explicit PieceTexts(const text::Vocabulary& target);

  // The text of a piece: blanks for "▁", the byte for "<0xE4>", bytes for "Ġthe" of byte-level BPE,
  // nothing for control symbols, " ⁇ " for the unknown piece.
  const std::string& operator[](int32_t id) const { return texts_[id]; }
  int32_t size() const { return static_cast<int32_t>(texts_.size()); }
  int32_t unk() const { return unk_; }

  // The text that `id` adds to a text so far, without the blank before the first word (byte-level
  // BPE keeps it). While the text so far is shorter than `forced`, the unknown piece reads as the
  // characters of `forced` there that no piece can write.
  std::string_view added(std::string_view text, int32_t id, std::string_view forced = {}) const;
  // The text of a translation so far, <s> first.
  std::string read(const text::Ids& ids, std::string_view forced = {}) const;

  struct Reading {
    std::string text;
    std::vector<text::TokenSpan> spans;  // of ids[1], ids[2], .. in the text
  };
  // The same as one line (plain_line) with spans, and with copies[i] for the i-th unknown piece
  // unless `forced` gives its text.
  Reading read(const text::Ids& ids, std::string_view forced, std::span<const std::string> copies) const;

  // The number of bytes at the start of text that no piece can write.
  size_t unwritable(std::string_view text) const;
  // The maximum number of tokens that can write the text: one per character, or per byte.
  int64_t most_tokens(std::string_view text) const;
  // The text as one line after the vocabulary's normalization (byte-level BPE has none), without a
  // blank at the start; one at the end is kept.
  std::string normalized(const std::string& text) const;

 private:
  text::Vocabulary vocabulary_;
  std::vector<std::string> texts_;
  std::unordered_set<std::string> characters_;  // single characters that are pieces
  bool bytes_ = false;                          // any byte can be written
  int32_t unk_;
};

}  // namespace hexapla::decode
