#pragma once
// The smallest set of tokens with at least the probability top_p (Holtzman et al. 2020).
#include <span>
#include <vector>

#include "decode/steps/hypothesis.h"

namespace hexapla::decode {

// How many of these weights, largest first, are in the nucleus; total: of all weights, also those not given.
size_t nucleus_size(std::span<const double> weights, double top_p, double total);

struct TokenShare {
  int32_t id;
  double probability;
};
// The distribution from which a token is sampled if nothing is constrained, best first, ties by id:
// softmax(log p / temperature) of the writable tokens, limited to the nucleus and renormalized.
std::vector<TokenShare> nucleus(std::span<const double> log_p, double temperature, double top_p,
                                const SpecialIds& special);

}  // namespace hexapla::decode
