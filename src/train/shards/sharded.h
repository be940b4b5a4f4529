#pragma once
// An update as the sum of numbered shards, computed by one process or by many, to the same bits (docs/adr/0067).
#include <deque>
#include <optional>
#include <vector>

#include "base/compute/pages.h"
#include "cluster/gathered.h"
#include "cluster/slices.h"
#include "cluster/tree.h"
#include "train/loop/communicator.h"
#include "train/shards/sum_thread.h"

namespace hexapla::train {

// What the shards cost a process in memory, in bytes, beside the slabs that one process has.
struct ShardMemory {
  size_t moments;      // of the slice, both
  size_t average;      // of the slice
  size_t sums;         // of shards that wait for others
  size_t exchange;     // what comes from other processes
  size_t checkpoints;  // what is gathered to be written, one slab
};
ShardMemory shard_memory(const cluster::Slices& slices, int64_t shards, int process);

// Whether gradients are added up while the backward pass goes on, or when it has ended: to the same bits.
enum class Overlap { off, on };

class Sharded final : public Communicator {
 public:
  // numbers: of the slabs.
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
  // What follows is filled by every update, and takes its memory with the first.
  std::vector<std::vector<cluster::TreeNode>> so_far_;  // what the first shards of this process cover: 1, 2, ...
  std::vector<Pages> arrays_;
  std::vector<PartOfSum> parts_;  // of this update
  int64_t added_ = 0;             // shards
  SegmentSum sum_;
  cluster::Gathered<model::LossSums> losses_;
  cluster::Gathered<double> squares_;
  std::vector<size_t> next_;  // of each process's squares
  cluster::Room room_;
  std::deque<Pages> wholes_;
  std::optional<SumThread> thread_;  // ends before what it works on
};

}  // namespace hexapla::train
