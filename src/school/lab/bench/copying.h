#pragma once
// An encoder with an output layer, so that only its token mixing can carry the information needed.
#include "lab/bench/training.h"

namespace hexapla::lab {

// Random symbols; the target at each token is the one `distance` tokens before it.
struct Copying {
  model::Config architecture;  // encoder; its vocabulary is the symbols
  int64_t distance = 1, updates = 0;
  uint64_t seed = 1;  // for initialization and symbols

  static constexpr int64_t kLength = 32, kSentences = 32, kSymbols = 16;  // per sentence; per batch; alphabet size
};

// Trains in FOLDER, or reads an earlier result. In the result, `accuracy` is the share of correct
// symbols in other sentences. Canceled: the watcher stops it.
Result copy_at_distance(const Copying& task, const std::string& folder, const Watcher& watcher);

}  // namespace hexapla::lab
