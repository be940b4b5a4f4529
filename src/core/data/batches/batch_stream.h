#pragma once
// The batches that training reads, epoch after epoch: docs/adr/0015.
#include <cstdint>
#include <memory>

#include "data/batches/batch_position.h"
#include "data/batches/training_pairs.h"

namespace hexapla::data {

// An endless sequence of batches, divided into epochs. The batch at a position of an epoch depends
// only on the pairs and the options, so a run resumed at an epoch and position sees the same
// batches as an uninterrupted one.
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  // Makes next() return the batch at this position of the epoch: {} for its beginning, or an
  // earlier value of position(). A new stream is at the beginning of epoch 0.
  virtual void seek(int64_t epoch, const BatchPosition& position) = 0;
  // Valid until the next call. The first batch of the next epoch follows the last one of an epoch.
  virtual const Batch& next() = 0;
  // Whether next() last returned the last batch of its epoch.
  virtual bool epoch_ended() const = 0;
  // Position of the batch that next() will return.
  virtual BatchPosition position() const = 0;
  // Number of epochs returned so far, with a fraction: 2.25.
  virtual double epochs() const = 0;
  // Batches per epoch: exact if the pairs are ids in memory, otherwise as in the last plan.
  virtual int64_t batches() const = 0;
  virtual int64_t pairs() const = 0;  // per epoch
  // A batch that needs as much memory as any, for a rehearsal: the largest of the first epoch or,
  // if epochs are made in windows, one as full as the limits and the text allow. Call before the
  // first next().
  virtual Batch largest() = 0;
  // Bytes of the windows made ahead, estimated from a sample of the pairs. If an epoch is one
  // window of pairs already in memory: what its plans take in addition to PairStore::kBytesBesides.
  virtual size_t memory() const = 0;
};

// A second thread reads, shuffles and segments ahead of next().
std::unique_ptr<BatchStream> open_batches(const TrainingPairs& pairs, const Batching& options,
                                          const ShuffleSpace& space = {});

}  // namespace hexapla::data
