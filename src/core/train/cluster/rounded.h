#pragma once
// An array whose values others partly need only as bf16: half the bytes.
#include <span>
#include <vector>

#include "train/cluster/slices.h"

namespace hexapla::train::cluster {

// Sends everyone's slice of the array to all, like complete(), but in the ranges `rounded`
// (ascending and disjoint) others receive the nearest bf16, ties to even. Each process's own slice
// is unchanged.
void complete_rounded(Processes& processes, const Slices& slices, std::span<const Share> rounded, float* array,
                      Room& room);

// Bytes sent to each other process for these values.
size_t bytes_rounded(const Share& numbers, std::span<const Share> rounded);
// Bytes in the round of a process's slice that starts at its `at`-th value.
size_t bytes_of_some(const Slices& slices, int process, int64_t at, std::span<const Share> rounded);

}  // namespace hexapla::train::cluster
