#include "train/cluster/tree.h"

#include <algorithm>

#include "base/compute/parallel.h"
#include "base/error.h"

namespace hexapla::train::cluster {
namespace {

constexpr int64_t kAddedAtOnce = 1 << 14;  // numbers

}  // namespace

ShardTree::ShardTree(int64_t shards) : shards_(shards) {
  while ((int64_t{1} << height_) < shards) ++height_;
}

int64_t ShardTree::end_of(TreeNode node) const { return std::min(node.first + (int64_t{1} << node.level), shards_); }

std::vector<TreeNode> ShardTree::cover(int64_t from, int64_t to) const {
  std::vector<TreeNode> nodes;
  if (from < to) cover({0, height_}, from, to, nodes);
  return nodes;
}

void ShardTree::cover(TreeNode node, int64_t from, int64_t to, std::vector<TreeNode>& nodes) const {
  const int64_t end = end_of(node);
  if (node.first >= shards_ || end <= from || node.first >= to) return;
  if (from <= node.first && end <= to) return nodes.push_back(node);
  const int level = node.level - 1;
  cover({node.first, level}, from, to, nodes);
  cover({node.first + (int64_t{1} << level), level}, from, to, nodes);
}

float* ShardTree::sum(std::span<const TreeNode> nodes, std::span<float* const> parts, int64_t count) const {
  size_t next = 0;
  const auto sum_of = [&](TreeNode node, const auto& self) -> float* {
    HEXAPLA_CHECK(next < nodes.size() && node.level >= 0, "the shards of a sum are not all there");
    if (nodes[next] == node) return parts[next++];
    const TreeNode left{node.first, node.level - 1};
    const TreeNode right{node.first + (int64_t{1} << left.level), left.level};
    float* const sum = self(left, self);
    if (right.first < shards_) add_numbers(sum, self(right, self), count);
    return sum;
  };
  float* const all = sum_of({0, height_}, sum_of);
  HEXAPLA_CHECK(next == nodes.size(), "a sum has more parts than shards");
  return all;
}

void add_numbers(float* to, const float* from, int64_t count) {
  parallel_for((count + kAddedAtOnce - 1) / kAddedAtOnce, [&](int64_t chunk) {
    const int64_t end = std::min(count, (chunk + 1) * kAddedAtOnce);
    for (int64_t i = chunk * kAddedAtOnce; i < end; ++i) to[i] += from[i];
  });
}

// The most nodes that wait after any shard but the last, which is added in place.
int arrays_to_add_up(const ShardTree& tree, int64_t from, int64_t to) {
  size_t most = 0;
  for (int64_t shard = from; shard + 1 < to; ++shard) most = std::max(most, tree.cover(from, shard + 1).size());
  return static_cast<int>(most);
}

}  // namespace hexapla::train::cluster
