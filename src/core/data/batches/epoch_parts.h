#pragma once
// The pairs of an epoch in parts: one part if all are in memory, otherwise one per bucket on disk.
#include <memory>
#include <stop_token>

#include "data/batches/training_pairs.h"

namespace hexapla::data {

// Thrown when stop_token requests it; only the thread that was asked to stop sees it.
struct Stopped {};

struct EpochPart {
  std::shared_ptr<const PairTable> table;
  std::vector<int32_t> order;  // indices that the epoch draws, ascending; repeated if drawn more than once
};

class EpochParts {
 public:
  virtual ~EpochParts() = default;
  virtual int64_t count() const = 0;
  // The number of pairs before this part in this epoch; for part count(): all of them.
  virtual int64_t pairs_before(int64_t epoch, int64_t part, std::stop_token stop) = 0;
  virtual EpochPart load(int64_t epoch, int64_t part, std::stop_token stop) = 0;
};

std::unique_ptr<EpochParts> open_parts(const TrainingPairs& pairs, uint64_t seed, const ShuffleSpace& space);

// The number of parts into which an epoch is scattered on disk, to be shuffled in memory one by
// one; 1 if all pairs are in memory. The order of the pairs depends on it.
int64_t shuffle_parts(const TrainingPairs& pairs, const ShuffleSpace& space);

// How often pair `number` of the store occurs in this epoch: `weight` times on average, spread
// evenly, so that any n epochs have it n * weight times, plus or minus one.
int64_t times_in_epoch(double weight, uint64_t seed, int64_t number, int64_t epoch);

}  // namespace hexapla::data
