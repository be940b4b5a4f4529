#pragma once
// The sum of the gradients of all processes, segment by segment, from the last one to the first: the order in which a
// backward pass ends with them.
#include <vector>

#include "cluster/slices.h"
#include "cluster/tree.h"

namespace hexapla::train {

// A sum of shards that a process has computed.
struct PartOfSum {
  cluster::TreeNode node;
  float* numbers;
};

// By one thread at a time, whichever. It takes its memory with the first sum.
class SegmentSum {
 public:
  SegmentSum(cluster::Processes& processes, const cluster::ShardTree& tree, const cluster::Slices& slices);

  // parts: of the tree, what waits in this process; the gradients of its last shard are to be added to the last of
  // them, that to the one before, and so on, until they are as many as the nodes that cover its shards. Leaves them as
  // they are: that is the first thing that happens to a segment.
  void begin(float* gradients, std::vector<PartOfSum>& parts);
  bool begun() const { return gradients_ != nullptr; }
  // Of what is not yet summed: the last segment, -1 if there is none. The next round is of it.
  int segment() const { return segment_; }
  // Exchanges and adds up some numbers of each process's share of the segment. The own share of the gradients becomes
  // the sum.
  void round() { round(&cluster::Processes::exchange); }
  void round_beside() { round(&cluster::Processes::exchange_beside); }
  void end() { gradients_ = nullptr; }

  // What comes in from other processes takes so many numbers.
  static int64_t received(const cluster::ShardTree& tree, const cluster::Slices& slices, int process);

 private:
  using Exchange = decltype(&cluster::Processes::exchange);
  void round(Exchange how);
  static int64_t at_once(int64_t largest);
  void skip_empty_segments();
  void add_last_shard();
  void exchange(const cluster::Share& own, int64_t size, Exchange how);
  // Of a process's share of the segment what this round is about.
  cluster::Share some_of(int process, int64_t size) const;

  cluster::Processes& processes_;
  const cluster::ShardTree& tree_;
  const cluster::Slices& slices_;
  std::vector<std::vector<cluster::TreeNode>> covers_;  // of each process
  std::vector<cluster::TreeNode> nodes_;                // of all processes, in order
  float* gradients_ = nullptr;
  std::vector<float*> added_to_;  // what waits for the last shard, in the order of the additions
  std::vector<float*> parts_;     // of this process, the nodes that cover its shards
  int segment_ = -1;
  int64_t at_ = 0;              // of the shares of the segment: numbers that are done
  std::vector<float*> summed_;  // what nodes_ are
  std::vector<float> received_;
  cluster::Room room_;
};

}  // namespace hexapla::train
