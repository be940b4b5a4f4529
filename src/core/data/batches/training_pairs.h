#pragma once
#include <memory>
#include <string>
#include <vector>

#include "data/batches/pair_store.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::data {

// Prepared training data.
struct TrainingPairs {
  std::shared_ptr<const PairStore> store;
  text::Vocabulary source, target;
  std::vector<double> weights{1};  // per training set: how often an epoch has each of its pairs, on average
  // 0: the store has ids. Otherwise it has text, which each epoch segments anew (see
  // SubwordSampler); if that gives more than max_length tokens, the best segmentation is used.
  double subword_alpha = 0;
};

// Where to store pairs that do not fit in memory, and the memory for shuffling them.
struct ShuffleSpace {
  size_t memory = size_t{1} << 30;
  std::string folder = ".";  // for temporary files
};

}  // namespace hexapla::data
