#pragma once
// How well a vocabulary fits a text.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "curate/findings.h"
#include "text/vocabulary.h"

namespace hexapla {

class Coverage {
 public:
  struct Side {
    int64_t pieces = 0, unknown = 0, bytes = 0, words = 0;  // bytes: pieces <0x00> to <0xFF>; words: text/words.h
  };

  explicit Coverage(Vocabulary vocabulary);
  // Counts the line's pieces; true if one of them is the unknown one.
  bool add(std::string_view line, Where side);

  const Side& of(Where side) const { return sides_[static_cast<size_t>(side)]; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  // Ids of pieces that no line has used so far; special and byte pieces are not expected to be.
  std::vector<int32_t> never_used() const;

 private:
  bool ordinary(int32_t id) const;
  Vocabulary vocabulary_;
  std::vector<bool> used_, byte_;
  std::array<Side, 2> sides_;
};

}  // namespace hexapla
