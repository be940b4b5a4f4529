#pragma once
// What training draws its batches from, epoch after epoch: docs/adr/0015.
#include <cstdint>
#include <memory>

#include "data/batches/batch_position.h"
#include "data/batches/training_pairs.h"

namespace hexapla::data {

// An endless row of batches, cut into epochs. Which batch stands at which position of which epoch depends on the pairs
// and the options alone, so a run that goes on from an epoch and a position sees what the unbroken one would have.
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  // The next next() gives the batch at this position of the epoch: its beginning, {}, or what position() was. A new
  // stream stands at the beginning of epoch 0.
  virtual void seek(int64_t epoch, const BatchPosition& position) = 0;
  // Valid until the next call. After the last batch of an epoch comes the first one of the next.
  virtual const Batch& next() = 0;
  // Was the batch that next() gave last the last one of its epoch?
  virtual bool epoch_ended() const = 0;
  // Of the batch that next() will give.
  virtual BatchPosition position() const = 0;
  // How many epochs have been given since the beginning: 2.25, say.
  virtual double epochs() const = 0;
  // How many batches the epoch has: exactly if the pairs are ids in memory, else going by those planned last.
  virtual int64_t batches() const = 0;
  virtual int64_t pairs() const = 0;  // of an epoch
  // A batch that needs as much memory as any, for a rehearsal: the largest of the first epoch or, where an epoch is
  // made in windows, one as full as the limits and the text let it be. To be called before the first next().
  virtual Batch largest() = 0;
  // Bytes that the windows take which are made ahead, going by a sample of the pairs. Where an epoch is one window of
  // pairs that are there anyway: what its plans take beyond PairStore::besides.
  virtual size_t memory() const = 0;
};

// A second thread reads, shuffles and segments ahead of next().
std::unique_ptr<BatchStream> open_batches(const TrainingPairs& pairs, const Batching& options,
                                          const ShuffleSpace& space = {});

}  // namespace hexapla::data
