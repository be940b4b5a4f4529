#pragma once
// Chooses the next tokens. Each decoding method implements this interface, and a decode loop drives
// any of them.
#include <span>
#include <vector>

#include "decode/strategies/beam_entry.h"

namespace hexapla::decode {

class DecodingStrategy {
 public:
  virtual ~DecodingStrategy() = default;
  // Called before the first step of a sentence; creates its live hypotheses. There may never be
  // more than width.
  virtual void begin(Sentence& s) = 0;
  // logits: of the next token of every live hypothesis; first[i]: the first row of sentence i.
  // Afterwards a sentence that is done has no live hypotheses, and its finished ones are the
  // result, best first.
  virtual void choose(Context& cx, const NextLogits& logits, std::span<Sentence> sentences,
                      std::span<const int64_t> first) = 0;
};

}  // namespace hexapla::decode
