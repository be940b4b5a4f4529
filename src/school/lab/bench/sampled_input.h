#pragma once
// A training in which the decoder sometimes reads its own predictions instead of the correct tokens
// (Bengio et al. 2015; in two passes for a Transformer: Mihaylova and Martins 2019).
#include "lab/bench/training.h"

namespace hexapla::lab {

struct SampledInput {
  std::string name;  // of its folder
  double own = 0;    // final share of own predictions in the decoder's input; grows linearly from 0
  int64_t updates = 0;
  uint64_t seed = 1;
};

struct Forced : Result {
  double after_wrong = 0, after_right = 0;  // accuracy 0 .. 1 after a wrong digit, and of the same tokens without it
};

// Trains Bench::small() on dates in FOLDER/NAME, or reads an earlier result. Canceled: the watcher
// stops it.
Forced train_with_own_tokens(const SampledInput& training, const Bench& bench, const std::string& folder,
                             const Watcher& watcher);

}  // namespace hexapla::lab
