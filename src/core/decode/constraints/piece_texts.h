#pragma once
// Text of a translation's ids while it is being written, for constraints on text.
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/vocabulary/vocabulary.h"

namespace hexapla::decode {

// A translation so far, as text.
struct TextSoFar {
  std::string text;
  bool begun = false;  // whether a blank would be text: the one before the first word is not
  int64_t silent = 0;  // tokens that added nothing before the text was as long as the forced one
};

// The text without the bytes at its end that begin a character and do not end it.
std::string_view whole_characters(std::string_view text);

class PieceTexts {
 public:
  explicit PieceTexts(const text::Vocabulary& target);
  PieceTexts(const PieceTexts&) = delete;
  PieceTexts& operator=(const PieceTexts&) = delete;

  // The text of a piece: blanks for "▁", the byte for "<0xE4>", bytes for "Ġthe" of byte-level BPE,
  // nothing for control symbols, " ⁇ " for the unknown piece.
  const std::string& operator[](int32_t id) const { return texts_[id]; }
  int32_t size() const { return static_cast<int32_t>(texts_.size()); }
  int32_t unk() const { return unk_; }

  // The text that `id` adds, as in Vocabulary::decode(): without the blank before the first word
  // where the vocabulary drops it. While the text so far is shorter than `forced`, the unknown
  // piece reads as the characters of `forced` there that no piece can write.
  std::string_view added(const TextSoFar& so_far, int32_t id, std::string_view forced = {}) const;
  void add(TextSoFar& so_far, int32_t id, std::string_view forced = {}) const;
  // The text of a translation so far, <s> first.
  TextSoFar read(const text::Ids& ids, std::string_view forced = {}) const;
  // The text if nothing follows: where blanks end words, the last one is dropped.
  std::string_view closed(std::string_view text) const;

  struct Reading {
    std::string text;
    std::vector<text::TokenSpan> spans;  // of ids[1], ids[2], .. in the text
  };
  // The same as one line (plain_line) with spans, and with copies[i] for the i-th unknown piece
  // unless `forced` gives its text.
  Reading read(const text::Ids& ids, std::string_view forced, std::span<const std::string> copies) const;

  // The number of bytes at the start of text that no piece can write; first: of a translation.
  size_t unwritable(std::string_view text, bool first = false) const;
  // A piece with this text, or -1.
  int32_t piece_of(std::string_view text) const;
  size_t longest() const { return longest_; }  // bytes of a piece's text
  // Whether a word can begin with this text within a single piece.
  bool begins_word(std::string_view text) const;
  // Whether there is a piece for every character of the text, or for every byte.
  bool has_characters(std::string_view text) const;
  // The maximum number of tokens that can write the text: one per character, or per byte.
  int64_t most_tokens(std::string_view text) const;
  // The text as one line after the vocabulary's normalization (byte-level BPE has none), without a
  // blank at the start; one at the end is kept.
  std::string normalized(const std::string& text) const;

 private:
  enum class Blanks { kept, first_dropped, all_dropped };  // at the start of a text

  void learn_blanks();
  // Whether a piece has this text, or one that begins with it.
  bool continues(std::string_view text) const;

  text::Vocabulary vocabulary_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string_view, int32_t> ids_;  // of texts that are not empty
  std::vector<std::string_view> sorted_;               // these texts
  std::vector<bool> from_byte_;                        // by id: a byte piece, whose blank is never dropped
  std::vector<bool> vanishes_;                         // by id: its text is removed from the final line
  size_t longest_ = 0;
  bool bytes_ = false;  // any byte can be written
  Blanks at_start_ = Blanks::kept;
  bool blanks_end_words_ = false;
  int32_t unk_;
};

}  // namespace hexapla::decode
