#pragma once
// An array of numbers that is in every process, of which each has a slice of its own.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/processes.h"

namespace hexapla::cluster {

// The array is cut into segments, and a slice is a share of each of them, so that the sum of a segment is work for all
// processes as soon as the segment is known. Shares are made of whole blocks, so that what is computed block by block
// has the same bits for any number of processes. A block is a multiple of 64 bytes, and there are about a thousand.
class Slices {
 public:
  // numbers: of the array, a multiple of 16 of them. of: processes. starts: of all segments but the first, ascending;
  // each begins with the first block that does not begin before it. One that is too small to be shared out is part of
  // the segment before, and empty.
  Slices(int64_t numbers, int of, std::span<const int64_t> starts = {});

  int64_t numbers() const { return numbers_; }
  int processes() const { return of_; }
  int64_t block() const { return block_; }  // numbers
  int64_t blocks() const { return (numbers_ + block_ - 1) / block_; }
  int segments() const { return static_cast<int>(ends_.size()); }

  Share segment(int segment) const { return numbers_in(blocks_in(segment)); }
  Share blocks_of(int process, int segment) const;
  Share of(int process, int segment) const { return numbers_in(blocks_of(process, segment)); }
  int64_t largest(int segment) const;  // numbers of the largest share of a segment

  // The whole slice: what a process has, ascending and apart from each other.
  std::vector<Share> of(int process) const;
  int64_t blocks_of(int process) const;  // so many
  int64_t size_of(int process) const;    // numbers
  int64_t largest() const;               // numbers of the largest slice
  // f(share) for what a slice has from its `at`-th number on, `count` numbers of it, its shares in a row.
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
    return {segment == 0 ? 0 : ends_[static_cast<size_t>(segment) - 1], ends_[static_cast<size_t>(segment)]};
  }
  Share numbers_in(const Share& blocks) const {
    return {std::min(blocks.from * block_, numbers_), std::min(blocks.to * block_, numbers_)};
  }

  int64_t numbers_, block_;
  int of_;
  std::vector<int64_t> ends_;  // of the segments, in blocks
};

// Everyone's slice of the array becomes everyone's, in rounds of so many numbers of each.
constexpr int64_t completed_at_once = 1 << 18;
void complete(Processes& processes, const Slices& slices, float* array, Room& room);
// The slices of everyone, each in one array with its shares in a row, in one on the first process (nullptr on the
// others).
void collect(Processes& processes, const Slices& slices, const float* own, float* whole);

}  // namespace hexapla::cluster
