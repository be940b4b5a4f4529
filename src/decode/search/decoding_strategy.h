#pragma once
// How the next tokens are chosen: each way of decoding is a sibling of this interface, and a decode loop drives any of
// them.
#include <span>
#include <vector>

#include "decode/search/beam_entry.h"

namespace hexapla::decode {

class DecodingStrategy {
 public:
  virtual ~DecodingStrategy() = default;
  // Before the first step of a sentence, whose live hypotheses are to be made: at most width of them, ever.
  virtual void begin(Sentence& s) = 0;
  // logits: of the next token of every live hypothesis; first[i]: the first row of sentence i. A sentence that is done
  // has no live hypothesis afterwards, and its finished ones are what is returned, best first.
  virtual void choose(Context& cx, const NextLogits& logits, std::span<Sentence> sentences,
                      std::span<const int64_t> first) = 0;
};

}  // namespace hexapla::decode
