#pragma once
// The pairs of an epoch, part by part: one part where all is in memory, else one a bucket on disk.
#include <memory>
#include <stop_token>

#include "data/batches/training_pairs.h"

namespace hexapla::data {

// Thrown where stop_token says so; nobody but the thread that was asked to stop sees it.
struct Stopped {};

struct EpochPart {
  std::shared_ptr<const PairTable> table;
  std::vector<int32_t> order;  // what of it the epoch has, in ascending order: the same index as often as it is wanted
};

class EpochParts {
 public:
  virtual ~EpochParts() = default;
  virtual int64_t count() const = 0;
  // How many pairs the parts before this one have in this epoch; with count(): all of them.
  virtual int64_t pairs_before(int64_t epoch, int64_t part, std::stop_token stop) = 0;
  virtual EpochPart load(int64_t epoch, int64_t part, std::stop_token stop) = 0;
};

std::unique_ptr<EpochParts> open_parts(const TrainingPairs& pairs, uint64_t seed, const ShuffleSpace& space);

// How many parts an epoch is scattered into on disk, each of which is shuffled in memory; 1 if all is in memory. The
// order of the pairs depends on it.
int64_t shuffle_parts(const TrainingPairs& pairs, const ShuffleSpace& space);

// How often the pair at `number` of the store is in this epoch: the weight on the mean, evenly over the epochs, so that
// any n epochs have it n * weight times, give or take one.
int64_t times_in_epoch(double weight, uint64_t seed, int64_t number, int64_t epoch);

}  // namespace hexapla::data
