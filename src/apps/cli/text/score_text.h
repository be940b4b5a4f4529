#pragma once
// The output of `hexapla score`.
#include <cstdint>
#include <string>

#include "hexapla/translator.h"

namespace hexapla::cli {

struct ScoreFormat {
  bool words = false, tokens = false, json = false;  // columns, or everything as JSON
  std::string alignment;                             // hard, soft or a threshold; empty: none
  bool of_words = true;                              // alignments number words, which JSON lists

  // The line of output for a pair.
  std::string line(const ScoreResult& score, const Alignment& alignment) const;

 private:
  std::string columns(const ScoreResult& score, const Alignment& alignment) const;
  std::string json_line(const ScoreResult& score, const Alignment& alignment) const;
};

struct ScoreTotals {
  int64_t pairs = 0, tokens = 0, words = 0;
  double score = 0;

  void add(const ScoreResult& pair);
  std::string text() const;
};

}  // namespace hexapla::cli
