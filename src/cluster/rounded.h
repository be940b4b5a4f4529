#pragma once
// An array of which others need some numbers only as bf16 has them: half of the bytes.
#include <span>
#include <vector>

#include "cluster/slices.h"

namespace hexapla::cluster {

// Everyone's slice of the array becomes everyone's, as complete() does, but of the numbers of `rounded` (ascending,
// apart from each other) the others get the nearest bf16, ties to even. Each keeps its own slice as it is.
void complete_rounded(Processes& processes, const Slices& slices, std::span<const Share> rounded, float* array,
                      Room& room);

// So many bytes of these numbers are sent to each other process.
size_t bytes_rounded(const Share& numbers, std::span<const Share> rounded);
// And so many in the round of a process's slice that begins with its `at`-th number.
size_t bytes_of_some(const Slices& slices, int process, int64_t at, std::span<const Share> rounded);

}  // namespace hexapla::cluster
