#pragma once
// The batches of successive updates, drawn by each process for its own shards (docs/adr/0067).
#include <memory>
#include <vector>

#include "data/batches/batch_stream.h"
#include "train/cluster/gathered.h"
#include "train/feed/training_data.h"
#include "train/record/run_state.h"

namespace hexapla::train {

// One shard's part of an update. Its gradient is summed in the order of its batches.
struct ShardBatches {
  int64_t first = 0;  // index of its first batch in the update; each batch has its own dropout
  std::vector<data::Batch> batches;
};

struct UpdateBatches {
  std::vector<ShardBatches> shards;  // of this process, in order; empty at the end of the epoch
  int64_t tokens = 0;                // target tokens, over all shards of all processes
};

// An epoch ends with the update that draws the last batch of any shard; that update may be smaller.
class UpdateStream {
 public:
  UpdateStream(const TrainingData& data, const TrainOptions& options);

  void seek(const RunState& state);    // the next draw() returns the state's next update
  const UpdateBatches& draw();         // valid until the next call; all processes must call it together
  void record(RunState& state) const;  // epoch and positions after the last draw()
  bool epoch_ended() const { return ended_; }

  double epochs() const;    // mean over this process's shards
  int64_t batches() const;  // per epoch, in this process's shards
  int64_t pairs() const;    // the same
  data::Batch largest();    // as BatchStream
  size_t memory() const;
  // Batches of the last draw() from all processes, in order.
  std::vector<data::Batch> all_batches();

 private:
  struct Told {  // sent by each shard to all processes
    int64_t batches, tokens, ended;
    data::BatchPosition position;
  };
  struct Shard {
    std::unique_ptr<data::BatchStream> stream;
    size_t batches;  // per update
    bool ended;      // in this epoch
  };
  static Told draw(Shard& shard, ShardBatches& to);

  cluster::Processes& processes_;
  cluster::Share own_;
  std::vector<Shard> shards_;
  UpdateBatches now_;
  cluster::Gathered<Told> telling_;
  std::span<const Told> told_;  // of all shards, for the last update
  bool ended_ = false;
};

}  // namespace hexapla::train
