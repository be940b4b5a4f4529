#pragma once
#include <memory>
#include <string>
#include <vector>

#include "data/batches/pair_store.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::data {

// Everything that is drawn from, prepared.
struct TrainingPairs {
  std::shared_ptr<const PairStore> store;
  text::Vocabulary source, target;
  std::vector<double> weights{1};  // of each training set: how often an epoch has each of its pairs, on the mean
  // 0: the store has ids. Else it has text, which each epoch cuts into subwords anew (see SubwordSampler); where that
  // gives more than max_length tokens, the best segmentation stands in.
  double subword_alpha = 0;
};

// Where pairs are that do not fit into memory, and how much memory may be used for shuffling them.
struct ShuffleSpace {
  size_t memory = size_t{1} << 30;
  std::string folder = ".";  // for temporary files
};

}  // namespace hexapla::data
