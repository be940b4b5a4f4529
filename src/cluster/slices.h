#pragma once
// An array of numbers that is in every process, of which each has a slice of its own.
#include <cstdint>

#include "cluster/processes.h"

namespace hexapla::cluster {

// Slices are made of whole blocks, so that what is computed block by block has the same bits for any number of
// processes. A block is a multiple of 64 bytes, and there are about a thousand.
class Slices {
 public:
  // numbers: of the array, a multiple of 16 of them. of: processes.
  Slices(int64_t numbers, int of);

  int64_t numbers() const { return numbers_; }
  int64_t block() const { return block_; }  // numbers
  int64_t blocks() const { return (numbers_ + block_ - 1) / block_; }
  Share blocks_of(int process) const { return share_of(blocks(), process, of_); }
  Share of(int process) const;
  Share some_of(int process, int64_t at, int64_t count) const;  // of its slice `count` numbers from its `at`-th on
  int64_t largest() const;                                      // numbers of the largest slice

 private:
  int64_t numbers_, block_;
  int of_;
};

// Everyone's slice of the array becomes everyone's, in rounds of so many numbers of each.
constexpr int64_t completed_at_once = 1 << 18;
void complete(Processes& processes, const Slices& slices, float* array, Room& room);
// The slices of everyone, one array each, in one on the first process (nullptr on the others).
void collect(Processes& processes, const Slices& slices, const float* own, float* whole);

}  // namespace hexapla::cluster
