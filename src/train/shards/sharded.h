#pragma once
// An update as the sum of numbered shards, computed by one process or by many, to the same bits (docs/adr/0067).
#include <deque>
#include <vector>

#include "base/compute/pages.h"
#include "cluster/gathered.h"
#include "cluster/slices.h"
#include "cluster/tree.h"
#include "train/loop/communicator.h"

namespace hexapla::train {

// What the shards cost a process in memory, in bytes, beside the slabs that one process has; numbers: of a slab.
struct ShardMemory {
  size_t moments;      // of the slice, both
  size_t average;      // of the slice
  size_t sums;         // of shards that wait for others
  size_t exchange;     // what comes from other processes
  size_t checkpoints;  // what is gathered to be written, one slab
};
ShardMemory shard_memory(int64_t numbers, int64_t shards, int process, int processes);

class Sharded final : public Communicator {
 public:
  // numbers: of the slabs.
  Sharded(cluster::Processes& processes, int64_t shards, int64_t numbers);

  void add(Tensor gradients, const model::LossSums& losses) override;
  model::LossSums sum(Tensor gradients) override;
  cluster::Share slice(int64_t numbers) const override;
  double sum_of_squares(Context& cx, Tensor slab) override;
  void complete(Tensor slab) override;
  void complete_rounded(Tensor slab, std::span<const cluster::Share> rounded) override;
  Tensor whole(Tensor own) override;
  void forget_whole() override { wholes_.clear(); }
  void read(Tensor whole, const Read& read) override;
  void read_slice(Tensor own, Tensor room, const Read& read) override;

 private:
  struct Part {  // of the tree: a sum of shards that this process has computed
    cluster::TreeNode node;
    float* numbers;
  };
  float* array(size_t number);
  void sum_slice(float* gradients);
  // The part [from, to) of the slice of this process, of all processes' parts.
  void sum_some(float* gradients, int64_t from, int64_t to, int64_t at_once);
  model::LossSums sum_losses();

  cluster::Processes& processes_;
  cluster::ShardTree tree_;
  cluster::Slices slices_;
  cluster::Share own_;                                  // shards
  std::vector<std::vector<cluster::TreeNode>> covers_;  // of each process
  // What follows is filled by every update, and takes its memory with the first.
  std::vector<std::vector<cluster::TreeNode>> so_far_;  // what the first shards of this process cover: 1, 2, ...
  std::vector<cluster::TreeNode> nodes_;                // of all processes, in order
  std::vector<Pages> arrays_;
  std::vector<Part> parts_;     // of this update
  std::vector<float*> summed_;  // what nodes_ are
  std::vector<float> received_;
  int64_t added_ = 0;  // shards
  cluster::Gathered<model::LossSums> losses_;
  cluster::Gathered<double> squares_;
  cluster::Room room_;
  std::deque<Pages> wholes_;
};

}  // namespace hexapla::train
