#include "train/shards/sharded.h"

#include <algorithm>
#include <cstring>
#include <system_error>

#include "base/error.h"
#include "train/cluster/rounded.h"

namespace hexapla::train {
namespace {

size_t bytes_of_floats(int64_t n) { return static_cast<size_t>(n) * sizeof(float); }

}  // namespace

ShardMemory shard_memory(const cluster::Slices& slices, int64_t shards, int process) {
  const int64_t numbers = slices.numbers(), slice = slices.size_of(process);
  if (shards == 1 && slices.processes() == 1) return {2 * bytes_of_floats(numbers), bytes_of_floats(numbers), 0, 0, 0};
  const cluster::ShardTree tree(shards);
  const cluster::Share own = cluster::share_of(shards, process, slices.processes());
  return {2 * bytes_of_floats(slice), bytes_of_floats(slice),
          static_cast<size_t>(arrays_to_add_up(tree, own.from, own.to)) * bytes_of_floats(numbers),
          bytes_of_floats(SegmentSum::received(tree, slices, process)), process == 0 ? bytes_of_floats(numbers) : 0};
}

Sharded::Sharded(cluster::Processes& processes, int64_t shards, int64_t numbers, const LayerSegments& segments,
                 Overlap overlap)
    : processes_(processes),
      tree_(shards),
      slices_(numbers, processes.count(), segments.starts),
      own_(cluster::own_share(processes, shards)),
      sum_(processes_, tree_, slices_),
      losses_(processes, [&](int p) { return cluster::share_of(shards, p, processes.count()).size(); }),
      squares_(processes, [&](int p) { return slices_.blocks_of(p); }) {
  for (int64_t shard = own_.from; shard < own_.to; ++shard) so_far_.push_back(tree_.cover(own_.from, shard + 1));
  for (int i = 0; i < arrays_to_add_up(tree_, own_.from, own_.to); ++i) arrays_.emplace_back(bytes_of_floats(numbers));
  if (overlap == Overlap::on && processes.several() && processes.by_any_thread()) try {
      thread_.emplace(sum_, segments);
    } catch (const std::system_error&) {  // no more threads: sums only after the backward pass
    }
}

float* Sharded::array(size_t number) { return reinterpret_cast<float*>(arrays_[number].data()); }

GradientListener* Sharded::last_backward(Tensor gradients) {
  if (!thread_) return nullptr;
  sum_.begin(gradients.data<float>(), parts_);
  return &*thread_;
}

// Parts that wait are the nodes that cover the shards so far. A new shard is added to the last
// part, that to the one before, and so on; if it must wait itself, it is copied, so that the
// gradients are free for the next. The last shard is added segment by segment.
void Sharded::add(Tensor gradients, const model::LossSums& losses) {
  const int64_t shard = own_.from + added_, n = slices_.numbers();
  losses_.own()[added_] = losses;
  const std::vector<cluster::TreeNode>& cover = so_far_[added_++];
  if (shard + 1 == own_.to) {
    if (!sum_.begun()) sum_.begin(gradients.data<float>(), parts_);
    return;
  }
  float* last = gradients.data<float>();
  while (parts_.size() >= cover.size()) {
    cluster::add_numbers(parts_.back().numbers, last, n);
    last = parts_.back().numbers;
    parts_.pop_back();
  }
  if (last == gradients.data<float>()) {
    last = array(parts_.size());
    std::memcpy(last, gradients.bytes, bytes_of_floats(n));
  }
  parts_.push_back({cover.back(), last});
}

model::LossSums Sharded::sum(Tensor) {
  if (thread_) thread_->rest();
  while (sum_.segment() >= 0) sum_.round();
  sum_.end();
  parts_.clear();
  return sum_losses();
}

// Sums in shard order.
model::LossSums Sharded::sum_losses() {
  added_ = 0;
  model::LossSums all;
  for (const model::LossSums& one : losses_.exchange(processes_)) add_to(all, one);
  return all;
}

std::vector<cluster::Share> Sharded::slice(int64_t numbers) const {
  HEXAPLA_CHECK(numbers == slices_.numbers(), "slabs of ", slices_.numbers(), " and of ", numbers, " numbers");
  return slices_.of(processes_.number());
}

// Sums block by block in a fixed order, so the number of blocks per process does not matter.
double Sharded::sum_of_squares(Context& cx, Tensor slab) {
  double* own = squares_.own().data();
  for (int s = 0; s < slices_.segments(); ++s) {
    const cluster::Share blocks = slices_.blocks_of(processes_.number(), s);
    for (int64_t b = blocks.from; b < blocks.to; ++b) {
      const int64_t from = b * slices_.block(), to = std::min(from + slices_.block(), slices_.numbers());
      *own++ = hexapla::sum_of_squares(cx, slab.slice(from, to - from));
    }
  }
  const std::span<const double> all = squares_.exchange(processes_);
  next_.assign(static_cast<size_t>(processes_.count()), 0);
  for (size_t p = 1; p < next_.size(); ++p)
    next_[p] = next_[p - 1] + static_cast<size_t>(slices_.blocks_of(static_cast<int>(p) - 1));
  double sum = 0;
  for (int s = 0; s < slices_.segments(); ++s)
    for (int p = 0; p < processes_.count(); ++p)
      for (int64_t b = slices_.blocks_of(p, s).size(); b > 0; --b) sum += all[next_[p]++];
  return sum;
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
  std::byte* to = own.bytes;
  for (const cluster::Share& share : slices_.of(processes_.number())) {
    std::memcpy(to, room.data<float>() + share.from, bytes_of_floats(share.size()));
    to += bytes_of_floats(share.size());
  }
}

}  // namespace hexapla::train
