#pragma once
// How well a model's vocabularies cover a text.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "data/curate/pairs/findings.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::data {

class Coverage {
 public:
  struct Side {
    int64_t tokens = 0, unknown = 0, bytes = 0, words = 0;  // bytes: pieces <0x00> to <0xFF>; words: text/words.h
  };

  explicit Coverage(text::VocabularyPair vocabularies);
  // Counts the line's tokens; returns whether one of them is unknown.
  bool add(std::string_view line, Where side);

  const Side& of(Where side) const { return sides_[static_cast<size_t>(side)]; }
  const text::Vocabulary& vocabulary(Where side) const { return uses_[index(side)].vocabulary; }
  // Whether both sides have the same pieces; then a piece is used if either side uses it.
  bool joint() const { return joint_; }
  // Ids of pieces not used so far, without special and byte pieces.
  std::vector<int32_t> never_used(Where side) const;

 private:
  struct Use {
    text::Vocabulary vocabulary;
    std::vector<bool> used, byte;  // per piece
    explicit Use(text::Vocabulary v);
    bool ordinary(int32_t id) const;
  };
  static size_t index(Where side) { return static_cast<size_t>(side); }
  std::array<Use, 2> uses_;
  std::array<Side, 2> sides_;
  bool joint_;
};

}  // namespace hexapla::data
