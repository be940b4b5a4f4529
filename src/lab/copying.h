#pragma once
// An encoder alone, with an output layer: what lets its tokens see each other must carry what the task asks for.
#include "lab/bench/training.h"

namespace hexapla::lab {

// Random symbols; asked for at each token: the one `distance` tokens before it.
struct Copying {
  model::Config architecture;  // of the encoder; its vocabulary are the symbols
  int64_t distance = 1, updates = 0;
  uint64_t seed = 1;  // of initialization and symbols

  static constexpr int64_t length = 32, sentences = 32, symbols = 16;  // of a sentence; of a batch; to choose from
};

// Trains in FOLDER, or reads what was found there. Result: of the tokens of other sentences, `accuracy` is the share of
// symbols that are right. Canceled: the watcher stops it.
Result copy_at_distance(const Copying& task, const std::string& folder, const Watcher& watcher);

}  // namespace hexapla::lab
