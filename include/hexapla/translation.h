#pragma once
// A translation, its word alignment, and what may be asked of it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hexapla/export.h"

namespace hexapla {

// Constraints on the translations of one line. UsageError: one is not UTF-8.
struct Constraints {
  std::string prefix;                // the translation begins with this; may end inside of a word
  std::vector<std::string> require;  // phrases that it must contain
  std::vector<std::string> forbid;   // phrases that it must not contain
};

// A matrix, row by row.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;
  double operator()(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

// Word alignments, from the decoder's attention over the encoder.
struct Alignment {
  std::vector<std::string> source_words, target_words;
  Matrix weights;                          // [target words + 1, source words + 1]; the last ones are </s>
  std::vector<std::pair<int, int>> links;  // for each target word, the source word with most of its attention:
                                           // (source, target), from 0

  // In one line: "hard" gives the links, "0-0 1-2"; "soft" the weights, "0.7,0.3 0.1,0.9", a group per row; a number
  // above 0 and at most 1 every link with at least this weight. UsageError: anything else.
  HEXAPLA_API std::string text(const std::string& kind = "hard") const;
};

struct Translation {
  std::string text;
  // Log-probability of the tokens, including the end of the sentence; with TranslatorOptions::distinct, of the text.
  double score = 0;
  // score with all penalties, divided by the length penalty; the best translation has the largest, except with
  // TranslatorOptions::mbr. If a line was split, both are sums over its parts. -infinity: no translation satisfies the
  // constraints
  double normalized = 0;
  std::vector<std::string> tokens;  // as the vocabulary writes them, without the end of the sentence
  std::vector<std::int32_t> ids;    // of the tokens
  std::vector<float> token_scores;  // log-probability of each token, and of the end of the sentence
  double coverage = 0;              // at most 0, for source tokens left untranslated; 0 without coverage_penalty
  Alignment alignment;              // set if TranslatorOptions::alignment asks for it
};

}  // namespace hexapla
