#include "train/shards/sharded.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "cluster/rounded.h"

namespace hexapla::train {
namespace {

// So many numbers of a slice come in at once, of each part of the tree: large enough for the links, and small beside
// a model.
constexpr int64_t exchanged_at_once = 1 << 17;

size_t bytes_of_floats(int64_t n) { return static_cast<size_t>(n) * sizeof(float); }

}  // namespace

ShardMemory shard_memory(int64_t numbers, int64_t shards, int process, int processes) {
  if (shards == 1 && processes == 1) return {2 * bytes_of_floats(numbers), bytes_of_floats(numbers), 0, 0, 0};
  const cluster::ShardTree tree(shards);
  const cluster::Slices slices(numbers, processes);
  const int64_t slice = slices.of(process).size();
  const cluster::Share own = cluster::share_of(shards, process, processes);
  int64_t parts = 0;
  for (int p = 0; p < processes; ++p) {
    const cluster::Share share = cluster::share_of(shards, p, processes);
    if (p != process) parts += static_cast<int64_t>(tree.cover(share.from, share.to).size());
  }
  return {2 * bytes_of_floats(slice), bytes_of_floats(slice),
          static_cast<size_t>(arrays_to_add_up(tree, own.from, own.to)) * bytes_of_floats(numbers),
          bytes_of_floats(parts * std::min(exchanged_at_once, slice)), process == 0 ? bytes_of_floats(numbers) : 0};
}

Sharded::Sharded(cluster::Processes& processes, int64_t shards, int64_t numbers)
    : processes_(processes),
      tree_(shards),
      slices_(numbers, processes.count()),
      own_(cluster::own_share(processes, shards)),
      losses_(processes, [&](int p) { return cluster::share_of(shards, p, processes.count()).size(); }),
      squares_(processes, [&](int p) { return slices_.blocks_of(p).size(); }) {
  for (int p = 0; p < processes.count(); ++p) {
    const cluster::Share share = cluster::share_of(shards, p, processes.count());
    covers_.push_back(tree_.cover(share.from, share.to));
    nodes_.insert(nodes_.end(), covers_.back().begin(), covers_.back().end());
  }
  for (int64_t shard = own_.from; shard < own_.to; ++shard) so_far_.push_back(tree_.cover(own_.from, shard + 1));
  for (int i = 0; i < arrays_to_add_up(tree_, own_.from, own_.to); ++i) arrays_.emplace_back(bytes_of_floats(numbers));
}

float* Sharded::array(size_t number) { return reinterpret_cast<float*>(arrays_[number].data()); }

// What waits are the nodes that the shards so far cover. The new one is added to the last of them, that to the one
// before, and so on; where it has to wait itself, it leaves the gradients free for the next.
void Sharded::add(Tensor gradients, const model::LossSums& losses) {
  const int64_t shard = own_.from + added_, n = slices_.numbers();
  losses_.own()[static_cast<size_t>(added_)] = losses;
  const std::vector<cluster::TreeNode>& cover = so_far_[static_cast<size_t>(added_++)];
  float* last = gradients.data<float>();
  while (parts_.size() >= cover.size()) {
    cluster::add_numbers(parts_.back().numbers, last, n);
    last = parts_.back().numbers;
    parts_.pop_back();
  }
  if (last == gradients.data<float>() && shard + 1 < own_.to) {
    last = array(parts_.size());
    std::memcpy(last, gradients.bytes, bytes_of_floats(n));
  }
  parts_.push_back({cover.back(), last});
}

model::LossSums Sharded::sum(Tensor gradients) {
  sum_slice(gradients.data<float>());
  parts_.clear();
  return sum_losses();
}

// All slices have as many rounds as the largest.
void Sharded::sum_slice(float* gradients) {
  const int64_t largest = slices_.largest(), at_once = std::min(exchanged_at_once, largest);
  for (int64_t at = 0; at < largest; at += at_once) sum_some(gradients, at, at + at_once, at_once);
}

void Sharded::sum_some(float* gradients, int64_t from, int64_t to, int64_t at_once) {
  const auto some_of = [&](int process) { return slices_.some_of(process, from, to - from); };
  const int me = processes_.number();
  const cluster::Share own = some_of(me);
  received_.resize((nodes_.size() - covers_[static_cast<size_t>(me)].size()) * static_cast<size_t>(at_once));
  room_.clear();
  summed_.clear();
  float* free = received_.data();
  for (int other = 0; other < processes_.count(); ++other) {
    const cluster::Share theirs = some_of(other);
    if (other == me) {
      for (const Part& part : parts_) summed_.push_back(part.numbers + own.from);
      continue;
    }
    for (const Part& part : parts_)
      if (theirs.size() > 0) room_.out.push_back({other, part.numbers + theirs.from, bytes_of_floats(theirs.size())});
    for (size_t node = 0; node < covers_[static_cast<size_t>(other)].size(); ++node, free += at_once) {
      summed_.push_back(free);
      if (own.size() > 0) room_.in.push_back({other, free, bytes_of_floats(own.size())});
    }
  }
  processes_.exchange(room_.out, room_.in);
  if (own.size() == 0) return;
  const float* const sum = tree_.sum(nodes_, summed_, own.size());
  if (sum != gradients + own.from) std::memcpy(gradients + own.from, sum, bytes_of_floats(own.size()));
}

// In the order of the shards.
model::LossSums Sharded::sum_losses() {
  added_ = 0;
  model::LossSums all;
  for (const model::LossSums& one : losses_.exchange(processes_)) add_to(all, one);
  return all;
}

cluster::Share Sharded::slice(int64_t numbers) const {
  HEXAPLA_CHECK(numbers == slices_.numbers(), "slabs of ", slices_.numbers(), " and of ", numbers, " numbers");
  return slices_.of(processes_.number());
}

// Block by block, in their order: how many blocks a process has does not count.
double Sharded::sum_of_squares(Context& cx, Tensor slab) {
  const cluster::Share blocks = slices_.blocks_of(processes_.number());
  for (int64_t b = blocks.from; b < blocks.to; ++b) {
    const int64_t from = b * slices_.block(), to = std::min(from + slices_.block(), slices_.numbers());
    squares_.own()[static_cast<size_t>(b - blocks.from)] = hexapla::sum_of_squares(cx, slab.slice(from, to - from));
  }
  double all = 0;
  for (const double one : squares_.exchange(processes_)) all += one;
  return all;
}

void Sharded::complete(Tensor slab) { cluster::complete(processes_, slices_, slab.data<float>(), room_); }
void Sharded::complete_rounded(Tensor slab, std::span<const cluster::Share> rounded) {
  cluster::complete_rounded(processes_, slices_, rounded, slab.data<float>(), room_);
}

Tensor Sharded::whole(Tensor own) {
  if (!processes_.several()) return own;
  float* to = nullptr;
  if (processes_.first()) {
    wholes_.emplace_back(bytes_of_floats(slices_.numbers()));
    to = reinterpret_cast<float*>(wholes_.back().data());
  }
  cluster::collect(processes_, slices_, own.data<float>(), to);
  return to ? Tensor::of(to, {slices_.numbers()}) : own;
}

void Sharded::read(Tensor whole, const Read& read) {
  if (processes_.first()) read(whole);
  cluster::spread(processes_, whole.bytes, bytes_of_floats(whole.size()));
}

void Sharded::read_slice(Tensor own, Tensor room, const Read& read_whole) {
  if (!processes_.several()) return read_whole(own);
  read(room, read_whole);
  const cluster::Share slice = slices_.of(processes_.number());
  std::memcpy(own.bytes, room.data<float>() + slice.from, bytes_of_floats(slice.size()));
}

}  // namespace hexapla::train
