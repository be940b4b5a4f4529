#pragma once
// Divides an array that every process holds into slices, one per process.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "train/cluster/processes.h"

namespace hexapla::train::cluster {

// The array consists of segments, and a slice is a share of each, so all processes can work on a
// segment's sum as soon as it is known. Shares consist of whole blocks, so results computed per
// block have the same bits for any number of processes. A block is a multiple of 64 bytes; there
// are about a thousand.
class Slices {
 public:
  // numbers: size of the array, a multiple of 16. of: number of processes. starts: where segments
  // start, except the first, ascending; each is moved up to the next block boundary. A segment too
  // small to divide is merged into the one before and left empty.
  Slices(int64_t numbers, int of, std::span<const int64_t> starts = {});

  int64_t numbers() const { return numbers_; }
  int processes() const { return of_; }
  int64_t block() const { return block_; }  // values per block
  int64_t blocks() const { return (numbers_ + block_ - 1) / block_; }
  int segments() const { return static_cast<int>(ends_.size()); }

  Share segment(int segment) const { return numbers_in(blocks_in(segment)); }
  Share blocks_of(int process, int segment) const;
  Share of(int process, int segment) const { return numbers_in(blocks_of(process, segment)); }
  int64_t largest(int segment) const;  // values in the largest share of a segment

  // The whole slice of a process, as ascending and disjoint shares.
  std::vector<Share> of(int process) const;
  int64_t blocks_of(int process) const;  // number of blocks
  int64_t size_of(int process) const;    // number of values
  int64_t largest() const;               // values in the largest slice
  // Calls f(share) for `count` values of a slice from its `at`-th on, counting through its shares.
  template <class F>
  void for_some_of(int process, int64_t at, int64_t count, F&& f) const {
    for (int s = 0; s < segments() && count > 0; ++s) {
      const Share share = of(process, s);
      const int64_t from = std::min(share.size(), at), size = std::min(share.size() - from, count);
      at -= from, count -= size;
      if (size > 0) f(Share{share.from + from, share.from + from + size});
    }
  }

 private:
  Share blocks_in(int segment) const {
    return {segment == 0 ? 0 : ends_[static_cast<size_t>(segment) - 1], ends_[segment]};
  }
  Share numbers_in(const Share& blocks) const {
    return {std::min(blocks.from * block_, numbers_), std::min(blocks.to * block_, numbers_)};
  }

  int64_t numbers_, block_;
  int of_;
  std::vector<int64_t> ends_;  // of the segments, in blocks
};

// Sends everyone's slice to all, in rounds of this many values of each.
constexpr int64_t kCompletedAtOnce = 1 << 18;
void complete(Processes& processes, const Slices& slices, float* array, Room& room);
// Collects all slices, given as contiguous arrays, into one array on the first process (nullptr on
// the others).
void collect(Processes& processes, const Slices& slices, const float* own, float* whole);

}  // namespace hexapla::train::cluster
