#pragma once
// What training draws its batches from, epoch after epoch.
#include <cstdint>
#include <memory>
#include <span>

#include "data/batch.h"

namespace hexapla {

// An endless row of batches, cut into epochs. Which batch stands at which place of which epoch depends on the corpus,
// the seed and the options alone, so a run that goes on from (epoch, place) sees what the unbroken one would have.
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  // The next next() gives batch `place` of epoch `epoch`; both count from 0. A new stream stands at (0, 0).
  virtual void seek(int64_t epoch, int64_t place) = 0;
  // Valid until the next call. After the last batch of an epoch comes the first one of the next.
  virtual const Batch& next() = 0;
  // Was the batch that next() gave last the last one of its epoch?
  virtual bool epoch_ended() const = 0;
  // How many batches the epoch has that next() draws from.
  virtual int64_t batches() const = 0;
  virtual int64_t pairs() const = 0;  // of the corpus
  // A batch that needs as much memory as any of the first epoch, for a rehearsal. May be called before the first
  // next().
  virtual Batch largest() = 0;
};

// Batches of examples that stay in memory (and must outlive the stream). `target` gives <s> and </s>.
std::unique_ptr<BatchStream> stream_from_memory(const Vocabulary& target, std::span<const Example> examples,
                                                const Batching& options);

}  // namespace hexapla
