#pragma once
#include <cstdint>
#include <vector>

#include "text/vocabulary/vocabulary.h"

namespace hexapla::decode {

struct Hypothesis {
  text::Ids ids;     // without <s> and </s>
  double score = 0;  // log-probability: the sum over the tokens and </s>
  // The sort key: (score - penalties) / divisor(length penalty, tokens with </s>).
  double normalized = 0;
  std::vector<float> token_scores;  // log-probability of each token and of </s>; only on request
  double coverage = 0;              // beta * coverage(), included in `normalized`; only on request
  bool operator==(const Hypothesis&) const = default;
};

// Special ids: decoding starts with <s>, ends with </s>, and writes neither <s> nor padding. Some
// systems start with </s>.
struct SpecialIds {
  int32_t bos, eos, pad;  // pad -1: none

  bool writable(int32_t id) const { return (id != bos || bos == eos) && id != pad; }
};
inline SpecialIds special_ids(const text::Vocabulary& target) { return {target.bos(), target.eos(), target.pad()}; }

}  // namespace hexapla::decode
