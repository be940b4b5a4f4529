#pragma once
// The batches of one update after the other, drawn by each process for its own shards (docs/adr/0074).
#include <memory>
#include <vector>

#include "cluster/gathered.h"
#include "data/batches/batch_stream.h"
#include "train/data/training_data.h"
#include "train/run/run_state.h"

namespace hexapla::train {

// What one shard computes of an update. Its gradient is summed in the order of its batches.
struct ShardBatches {
  int64_t first = 0;  // number of its first batch in the update; each has a dropout of its own
  std::vector<data::Batch> batches;
};

struct UpdateBatches {
  std::vector<ShardBatches> shards;  // of this process, in order; one that has come to the end of the epoch has none
  int64_t tokens = 0;                // of the target, of all shards of all processes
};

// An epoch ends with the update that draws the last batch of any shard; it may have fewer than the others.
class UpdateStream {
 public:
  UpdateStream(const TrainingData& data, const TrainOptions& options);

  void seek(const RunState& state);    // the next draw() is that of the state's next update
  const UpdateBatches& draw();         // valid until the next call; all processes call it together
  void record(RunState& state) const;  // epoch and positions behind what draw() gave last
  bool epoch_ended() const { return ended_; }

  double epochs() const;    // of this process's shards, on the mean
  int64_t batches() const;  // of an epoch, of this process's shards
  int64_t pairs() const;    // the same
  data::Batch largest();    // as BatchStream
  size_t memory() const;
  // Of all processes, of the update that draw() gave last, in their order.
  std::vector<data::Batch> all_batches();

 private:
  struct Told {  // of each shard to all processes
    int64_t batches, tokens, ended;
    data::BatchPosition position;
  };
  struct Shard {
    std::unique_ptr<data::BatchStream> stream;
    size_t batches;  // of an update
    bool ended;      // of this epoch
  };
  static Told draw(Shard& shard, ShardBatches& to);

  cluster::Processes& processes_;
  cluster::Share own_;
  std::vector<Shard> shards_;
  UpdateBatches now_;
  cluster::Gathered<Told> telling_;
  std::span<const Told> told_;  // of all shards, of the last update
  bool ended_ = false;
};

}  // namespace hexapla::train
