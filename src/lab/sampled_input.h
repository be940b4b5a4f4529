#pragma once
// A training in which the decoder reads some of its own predictions instead of the right tokens (Bengio et al. 2015,
// for a Transformer in two passes: Mihaylova and Martins 2019).
#include "lab/bench/training.h"

namespace hexapla::lab {

struct SampledInput {
  std::string name;  // of its folder
  double own = 0;    // share of the decoder's input that is its own at the end; it grows from 0 with the updates
  int64_t updates = 0;
  uint64_t seed = 1;
};

struct Forced : Result {
  double after_wrong = 0, after_right = 0;  // of the tokens behind a wrong digit in the prefix, and of the same ones
                                            // behind the right one, so many are right, 0 .. 1
};

// Trains Bench::small() on dates in FOLDER/NAME, or reads what was found there. Canceled: the watcher stops it.
Forced train_with_own_tokens(const SampledInput& training, const Bench& bench, const std::string& folder,
                             const Watcher& watcher);

}  // namespace hexapla::lab
