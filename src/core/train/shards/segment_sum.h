#pragma once
// Sums the gradients of all processes segment by segment from last to first, the order in which a
// backward pass finishes them.
#include <vector>

#include "train/cluster/slices.h"
#include "train/cluster/tree.h"

namespace hexapla::train {

// A sum of shards computed by a process.
struct PartOfSum {
  cluster::TreeNode node;
  float* numbers;
};

// For one thread at a time. Allocates its memory at the first sum.
class SegmentSum {
 public:
  SegmentSum(cluster::Processes& processes, const cluster::ShardTree& tree, const cluster::Slices& slices);

  // parts: nodes of the tree that wait in this process. As the first step of each segment, the last
  // shard's gradients are added to the last part, that to the one before, and so on, until only the
  // nodes that cover the process's shards remain. Does not change `parts` itself.
  void begin(float* gradients, std::vector<PartOfSum>& parts);
  bool begun() const { return gradients_ != nullptr; }
  // Segment of the next round, the last one not yet summed; -1: none.
  int segment() const { return segment_; }
  // Exchanges and adds some values of each process's share of the segment. The sum replaces this
  // process's share of the gradients.
  void round() { round(&cluster::Processes::exchange); }
  void round_beside() { round(&cluster::Processes::exchange_beside); }
  void end() { gradients_ = nullptr; }

  // The number of values received from other processes at once.
  static int64_t received(const cluster::ShardTree& tree, const cluster::Slices& slices, int process);

 private:
  using Exchange = decltype(&cluster::Processes::exchange);
  void round(Exchange how);
  static int64_t at_once(int64_t largest);
  void skip_empty_segments();
  void add_last_shard();
  void exchange(const cluster::Share& own, int64_t size, Exchange how);
  // The part of a process's share of the segment that this round covers.
  cluster::Share some_of(int process, int64_t size) const;

  cluster::Processes& processes_;
  const cluster::ShardTree& tree_;
  const cluster::Slices& slices_;
  std::vector<std::vector<cluster::TreeNode>> covers_;  // per process
  std::vector<cluster::TreeNode> nodes_;                // of all processes, in order
  float* gradients_ = nullptr;
  std::vector<float*> added_to_;  // parts that the last shard is added to, in order
  std::vector<float*> parts_;     // of this process: nodes that cover its shards
  int segment_ = -1;
  int64_t at_ = 0;              // values done in each share of the segment
  std::vector<float*> summed_;  // values of nodes_
  std::vector<float> received_;
  cluster::Room room_;
};

}  // namespace hexapla::train
