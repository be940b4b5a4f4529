#pragma once
// Joins neighboring pairs of a training text, so that a model learns lines of several sentences
// (`join-sentences`; Tiedemann and Scherrer, "Neural Machine Translation with Extended Context",
// 2017).
#include <cstdint>
#include <optional>
#include <utility>

#include "data/batches/batch.h"
#include "data/training_text.h"

namespace hexapla::data {

// A pair of the text with its token ids, which have no </s> yet.
struct EncodedPair {
  TextPair text;
  Example ids;
  int64_t lines = 1;  // of the text; if several, the ids are only those of the first
};

// Joins a pair to the one before it with a given probability, if it is the next line of the same
// set and both together have at most max_length tokens on each side. The random choice depends only
// on set and line number, so a text gives the same pairs for any number of processes.
class PairJoiner {
 public:
  PairJoiner(double probability, int64_t max_length) : probability_(probability), max_length_(max_length) {}

  // Takes the next pair of the text -> the pair before it, unless the two were joined
  std::optional<EncodedPair> add(EncodedPair pair);
  std::optional<EncodedPair> finish() { return std::exchange(open_, std::nullopt); }  // -> the last pair

 private:
  bool joins(const EncodedPair& pair) const;

  double probability_;
  int64_t max_length_;
  std::optional<EncodedPair> open_;
  size_t source_tokens_ = 0, target_tokens_ = 0;  // of its lines
};

}  // namespace hexapla::data
