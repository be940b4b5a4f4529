#pragma once
#include <cstdint>
#include <vector>

#include "text/vocabulary/vocabulary.h"

namespace hexapla::decode {

struct Hypothesis {
  text::Ids ids;     // without <s> and </s>
  double score = 0;  // log-probability: the sum over the tokens and </s>
  // The order of hypotheses: score / divisor(length penalty, tokens with </s>), less what penalties take before.
  double normalized = 0;
  std::vector<float> token_scores;  // log-probability of each token and of </s>; only where it is asked for
  double coverage = 0;              // beta * coverage(), which `normalized` has then; only where it is asked for
  bool operator==(const Hypothesis&) const = default;
};

// The ids that decoding knows: it starts with <s>, ends with </s>, and writes neither <s> nor padding. Some systems
// start with </s>.
struct SpecialIds {
  int32_t bos, eos, pad;  // pad -1: there is none

  bool writable(int32_t id) const { return (id != bos || bos == eos) && id != pad; }
};
SpecialIds special_ids(const text::Vocabulary& target);

}  // namespace hexapla::decode
