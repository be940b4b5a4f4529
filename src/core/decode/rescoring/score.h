#pragma once
// Scores given translations.
#include <span>
#include <vector>

#include "decode/search/ensemble.h"
#include "decode/steps/hypothesis.h"

namespace hexapla::decode {

struct PairScore {
  double score = 0;            // log-probability of the target: the sum over its tokens and </s>
  int64_t tokens = 0;          // including </s>
  std::vector<double> log_p;   // of each token, given the ones before it, and of </s>
  std::vector<double> logits;  // of the same, before the softmax; for an ensemble, logarithms of the mixture
  bool operator==(const PairScore&) const = default;
};

// One score per pair, independent of the other pairs. Sources end with </s>; targets are without
// <s> and </s> (and may be empty). Takes memory from the arena temporarily. InternalError:
// different numbers of sources and targets. DataError: a sentence is longer than the model's
// learned positions.
std::vector<PairScore> score_pairs(Context& cx, const Ensemble& ensemble, std::span<const text::Ids> sources,
                                   std::span<const text::Ids> targets, const SpecialIds& special);

// Upper bound of the arena bytes needed.
size_t score_memory(const Ensemble& ensemble, std::span<const text::Ids> sources, std::span<const text::Ids> targets,
                    DType dtype);

}  // namespace hexapla::decode
