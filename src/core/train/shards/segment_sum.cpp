#include "train/shards/segment_sum.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace hexapla::train {
namespace {

// Values exchanged at once, per share and part of the tree: large enough for efficient transfers,
// and small compared with a model.
constexpr int64_t kExchangedAtOnce = 1 << 17;

size_t bytes_of_segment(int64_t n) { return static_cast<size_t>(n) * sizeof(float); }

}  // namespace

SegmentSum::SegmentSum(cluster::Processes& processes, const cluster::ShardTree& tree, const cluster::Slices& slices)
    : processes_(processes), tree_(tree), slices_(slices) {
  for (int p = 0; p < processes.count(); ++p) {
    const cluster::Share share = cluster::share_of(tree.shards(), p, processes.count());
    covers_.push_back(tree.cover(share.from, share.to));
    nodes_.insert(nodes_.end(), covers_.back().begin(), covers_.back().end());
  }
}

int64_t SegmentSum::at_once(int64_t largest) { return std::min(kExchangedAtOnce, largest); }

int64_t SegmentSum::received(const cluster::ShardTree& tree, const cluster::Slices& slices, int process) {
  int64_t parts = 0, largest = 0;
  for (int p = 0; p < slices.processes(); ++p) {
    const cluster::Share share = cluster::share_of(tree.shards(), p, slices.processes());
    if (p != process) parts += static_cast<int64_t>(tree.cover(share.from, share.to).size());
  }
  for (int s = 0; s < slices.segments(); ++s) largest = std::max(largest, slices.of(process, s).size());
  return parts * at_once(largest);
}

void SegmentSum::begin(float* gradients, std::vector<PartOfSum>& parts) {
  const size_t stay = covers_[processes_.number()].size() - 1;
  HEXAPLA_CHECK(!begun() && parts.size() >= stay, "a sum begins with ", parts.size(), " parts of ", stay);
  gradients_ = gradients;
  added_to_.clear(), parts_.clear();
  for (size_t i = 0; i < stay; ++i) parts_.push_back(parts[i].numbers);
  for (size_t i = parts.size(); i-- > stay;) added_to_.push_back(parts[i].numbers);
  parts_.push_back(added_to_.empty() ? gradients : added_to_.back());
  segment_ = slices_.segments() - 1;
  at_ = 0;
  skip_empty_segments();
}

void SegmentSum::skip_empty_segments() {
  while (segment_ >= 0 && slices_.segment(segment_).size() == 0) --segment_;
}

void SegmentSum::add_last_shard() {
  const cluster::Share all = slices_.segment(segment_);
  const float* last = gradients_;
  for (float* const to : added_to_) {
    cluster::add_numbers(to + all.from, last + all.from, all.size());
    last = to;
  }
}

cluster::Share SegmentSum::some_of(int process, int64_t size) const {
  const cluster::Share all = slices_.of(process, segment_);
  return {std::min(all.from + at_, all.to), std::min(all.from + at_ + size, all.to)};
}

// All shares need as many rounds as the largest.
void SegmentSum::round(Exchange how) {
  if (at_ == 0) add_last_shard();
  const int64_t largest = slices_.largest(segment_), size = at_once(largest);
  const cluster::Share own = some_of(processes_.number(), size);
  exchange(own, size, how);
  if (own.size() > 0) {
    const float* const sum = tree_.sum(nodes_, summed_, own.size());
    if (sum != gradients_ + own.from) std::memcpy(gradients_ + own.from, sum, bytes_of_segment(own.size()));
  }
  at_ += size;
  if (at_ < largest) return;
  at_ = 0;
  --segment_;
  skip_empty_segments();
}

void SegmentSum::exchange(const cluster::Share& own, int64_t size, Exchange how) {
  const int me = processes_.number();
  const size_t numbers = (nodes_.size() - parts_.size()) * static_cast<size_t>(size);
  if (received_.size() < numbers) received_.resize(numbers);
  room_.clear();
  summed_.clear();
  float* free = received_.data();
  for (int other = 0; other < processes_.count(); ++other) {
    if (other == me) {
      for (float* const part : parts_) summed_.push_back(part + own.from);
      continue;
    }
    const cluster::Share theirs = some_of(other, size);
    for (float* const part : parts_)
      if (theirs.size() > 0) room_.out.push_back({other, part + theirs.from, bytes_of_segment(theirs.size())});
    for (size_t node = 0; node < covers_[other].size(); ++node, free += size) {
      summed_.push_back(free);
      if (own.size() > 0) room_.in.push_back({other, free, bytes_of_segment(own.size())});
    }
  }
  (processes_.*how)(room_.out, room_.in);
}

}  // namespace hexapla::train
