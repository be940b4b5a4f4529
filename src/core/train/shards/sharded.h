#pragma once
// An update as a sum of numbered shards: the same bits with any number of processes
// (docs/adr/0067).
#include <deque>
#include <optional>
#include <vector>

#include "base/compute/pages.h"
#include "train/cluster/gathered.h"
#include "train/cluster/slices.h"
#include "train/cluster/tree.h"
#include "train/shards/communicator.h"
#include "train/shards/sum_thread.h"

namespace hexapla::train {

// Memory for shards in a process, in bytes, besides the slabs of a single process.
struct ShardMemory {
  size_t moments;      // both, for the slice
  size_t average;      // for the slice
  size_t sums;         // of shards waiting for others
  size_t exchange;     // received from other processes
  size_t checkpoints;  // one slab gathered for writing
};
ShardMemory shard_memory(const cluster::Slices& slices, int64_t shards, int process);

// Are gradients summed during the backward pass or after it? The bits are the same.
enum class Overlap { off, on };

class Sharded final : public Communicator {
 public:
  // numbers: size of the slabs.
  Sharded(cluster::Processes& processes, int64_t shards, int64_t numbers, const LayerSegments& segments = {},
          Overlap overlap = Overlap::off);

  GradientListener* last_backward(Tensor gradients) override;
  void add(Tensor gradients, const model::LossSums& losses) override;
  model::LossSums sum(Tensor gradients) override;
  std::vector<cluster::Share> slice(int64_t numbers) const override;
  double sum_of_squares(Context& cx, Tensor slab) override;
  void complete(Tensor slab) override;
  void complete_rounded(Tensor slab, std::span<const cluster::Share> rounded) override;
  Tensor whole(Tensor own) override;
  void forget_whole() override { wholes_.clear(); }
  void read(Tensor whole, const Read& read) override;
  void read_slice(Tensor own, Tensor room, const Read& read) override;

 private:
  float* array(size_t number);
  model::LossSums sum_losses();

  cluster::Processes& processes_;
  cluster::ShardTree tree_;
  cluster::Slices slices_;
  cluster::Share own_;  // shards
  // Filled by every update; allocated at the first.
  std::vector<std::vector<cluster::TreeNode>> so_far_;  // cover of this process's first 1, 2, ... shards
  std::vector<Pages> arrays_;
  std::vector<PartOfSum> parts_;  // of the current update
  int64_t added_ = 0;             // shards
  SegmentSum sum_;
  cluster::Gathered<model::LossSums> losses_;
  cluster::Gathered<double> squares_;
  std::vector<size_t> next_;  // per process, into squares_
  cluster::Room room_;
  std::deque<Pages> wholes_;
  std::optional<SumThread> thread_;  // declared last: ends before what it uses is destroyed
};

}  // namespace hexapla::train
