#pragma once
// Consecutive pairs of an epoch's random order, as ids, and their batches.
#include <memory>
#include <optional>
#include <stop_token>

#include "data/batches/batch.h"
#include "data/batches/batch_position.h"
#include "data/batches/epoch_parts.h"
#include "data/batches/training_pairs.h"
#include "text/vocabulary/sampling.h"

namespace hexapla::data {

struct Window {
  int64_t epoch = 0;
  WindowPosition position;
  bool last = false;  // of its epoch
  int64_t before = 0, epoch_pairs = 0;
  std::shared_ptr<const PairTable> table;  // the pairs, or
  std::vector<Example> examples;
  Plan plan;
  int64_t pairs() const;
  Batch batch(const text::Vocabulary& target, size_t i) const;
};

// Means per pair of an epoch.
struct PairMeans {
  double source = 0, target = 0;  // tokens, including </s>
  double bytes = 0;               // of an Example and its place in a plan
};

// Makes one window after another. If all pairs are ids in memory, an epoch is one window:
// plan_epoch's batches.
class WindowMaker {
 public:
  WindowMaker(const TrainingPairs& pairs, const Batching& options, const ShuffleSpace& space);

  bool whole() const { return whole_; }
  bool in_memory() const { return store_->in_memory(); }
  int64_t pairs() const { return store_->pairs(); }
  int64_t pairs_of_epoch() const;  // upper bound, with repeated draws
  int64_t most_pairs() const;      // per window
  PairMeans means() const;         // of a thousand pairs from the whole text, segmented as in an epoch
  void seek(int64_t epoch, const WindowPosition& window);
  Window next(std::stop_token stop);  // DataError: an epoch has no pair; RunError: the disk; Stopped

 private:
  void load(std::stop_token stop);
  Window plan_whole();
  Window cut(int64_t from, int64_t to);
  Example example(const PackedPair& pair, Random& random) const;
  Random random(uint64_t stream, int64_t number) const;

  Batching options_;
  std::shared_ptr<const PairStore> store_;
  double most_weight_;
  text::Vocabulary source_, target_;
  std::optional<text::SubwordSampler> source_sampler_, target_sampler_;
  std::unique_ptr<EpochParts> parts_;
  bool whole_;
  int64_t window_pairs_;
  int64_t epoch_ = 0;    // of the next window
  WindowPosition next_;  // its position
  EpochPart loaded_;     // its part, if loaded
  int64_t before_ = 0, epoch_pairs_ = 0;
  std::vector<PairSize> sizes_;  // for whole_
};

}  // namespace hexapla::data
