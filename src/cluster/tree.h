#pragma once
// The sum of numbered shards by one binary tree, whoever has computed which of them. Sums of floating-point numbers
// depend on their order, so the order is that of the shards' numbers and never that of the processes: shards 2 i and
// 2 i + 1 first, then the pairs of those sums, and so on.
#include <cstdint>
#include <span>
#include <vector>

namespace hexapla::cluster {

// The sum of the shards [first, first + 2^level), of those that there are.
struct TreeNode {
  int64_t first = 0;
  int level = 0;
  bool operator==(const TreeNode&) const = default;
};

class ShardTree {
 public:
  explicit ShardTree(int64_t shards);

  int64_t shards() const { return shards_; }
  // The largest nodes that the shards [from, to) make up, in order.
  std::vector<TreeNode> cover(int64_t from, int64_t to) const;
  // Adds up what covers all shards, in order: parts[i] is an array of `count` numbers, the sum of nodes[i]. Overwrites
  // them. -> the one with the sum
  float* sum(std::span<const TreeNode> nodes, std::span<float* const> parts, int64_t count) const;

 private:
  void cover(TreeNode node, int64_t from, int64_t to, std::vector<TreeNode>& nodes) const;
  int64_t end_of(TreeNode node) const;

  int64_t shards_;
  int height_ = 0;
};

// to <- to + from, of so many numbers.
void add_numbers(float* to, const float* from, int64_t count);

// How many arrays beside the one that a shard is computed in are needed to add up the shards [from, to).
int arrays_to_add_up(const ShardTree& tree, int64_t from, int64_t to);

}  // namespace hexapla::cluster
