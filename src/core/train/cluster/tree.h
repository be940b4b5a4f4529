#pragma once
// Sums numbered shards by one binary tree, regardless of which process computed them.
// Floating-point sums depend on their order, so the order follows shard numbers, never processes:
// shards 2 i and 2 i + 1 first, then pairs of these sums, and so on.
#include <cstdint>
#include <span>
#include <vector>

namespace hexapla::train::cluster {

// The sum of the existing shards in [first, first + 2^level).
struct TreeNode {
  int64_t first = 0;
  int level = 0;
  bool operator==(const TreeNode&) const = default;
};

class ShardTree {
 public:
  explicit ShardTree(int64_t shards);

  int64_t shards() const { return shards_; }
  // The largest nodes that exactly cover the shards [from, to), in order.
  std::vector<TreeNode> cover(int64_t from, int64_t to) const;
  // Adds nodes that cover all shards, in order: parts[i] holds the `count` values of nodes[i], and
  // is overwritten. -> the part with the sum
  float* sum(std::span<const TreeNode> nodes, std::span<float* const> parts, int64_t count) const;

 private:
  void cover(TreeNode node, int64_t from, int64_t to, std::vector<TreeNode>& nodes) const;
  int64_t end_of(TreeNode node) const;

  int64_t shards_;
  int height_ = 0;
};

// to <- to + from, elementwise.
void add_numbers(float* to, const float* from, int64_t count);

// Arrays needed to add up the shards [from, to), besides the one in which each is computed.
int arrays_to_add_up(const ShardTree& tree, int64_t from, int64_t to);

}  // namespace hexapla::train::cluster
