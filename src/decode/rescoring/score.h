#pragma once
// How probable a given translation is.
#include <span>
#include <vector>

#include "decode/search/search.h"

namespace hexapla::decode {

struct PairScore {
  double score = 0;           // log-probability of the target: the sum over its tokens and </s>
  int64_t tokens = 0;         // </s> counted
  std::vector<double> log_p;  // of each token, given those before it, and of </s>
  bool operator==(const PairScore&) const = default;
};

// One for each pair, whatever the other pairs are. Sources end with </s>, targets are without <s> and </s> (and may be
// empty). Takes memory from the arena and gives it back.
// InternalError: not as many targets as sources. DataError: a sentence longer than the model's learned positions.
std::vector<PairScore> score_pairs(Context& cx, const model::Transformer& model, std::span<const text::Ids> sources,
                                   std::span<const text::Ids> targets, const SpecialIds& special);

// Bytes of arena that it can need at most.
size_t score_memory(const model::Transformer& model, std::span<const text::Ids> sources,
                    std::span<const text::Ids> targets, DType dtype);

}  // namespace hexapla::decode
