#pragma once
// What a translation's ids read as, while it is being written: rules on text hold whatever pieces it is made of.
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

  // Of a piece: blanks for "▁", the byte for "<0xE4>", bytes for "Ġthe" of byte-level BPE, nothing for control symbols,
  // " ⁇ " for the unknown one.
  const std::string& operator[](int32_t id) const { return texts_[static_cast<size_t>(id)]; }
  int32_t size() const { return static_cast<int32_t>(texts_.size()); }
  int32_t unk() const { return unk_; }

  // What `id` adds to a text so far: the blank before its first word is none of it, but in byte-level BPE. Where the
  // text so far is shorter than `forced`, the unknown piece stands for the characters there that no piece can write.
  std::string_view added(std::string_view text, int32_t id, std::string_view forced = {}) const;
  // Of ids that are all of a translation so far, <s> first.
  std::string read(const text::Ids& ids, std::string_view forced = {}) const;

  struct Reading {
    std::string text;
    std::vector<text::TokenSpan> spans;  // of ids[1], ids[2] .. in the text
  };
  // The same as one line (plain_line) with spans, and with copies[i] for the i-th unknown piece, where `forced` has
  // nothing for it.
  Reading read(const text::Ids& ids, std::string_view forced, std::span<const std::string> copies) const;

  // How many bytes at the start of text no piece can write.
  size_t unwritable(std::string_view text) const;
  // How many tokens can write the text, where each writes as little as any can: a character, or a byte.
  int64_t most_tokens(std::string_view text) const;
  // As the vocabulary's normalization has it, as one line: with a blank for every space, none at the start; one at the
  // end is kept. Byte-level BPE has none.
  std::string normalized(const std::string& text) const;

 private:
  text::Vocabulary vocabulary_;
  std::vector<std::string> texts_;
  std::unordered_set<std::string> characters_;  // that are pieces
  bool bytes_ = false;                          // any byte can be written
  int32_t unk_;
};

}  // namespace hexapla::decode
