#pragma once
#include <span>
#include <vector>

#include "decode/options/translate_options.h"

namespace hexapla::decode {

// Indices of the sentences, longest first, without those of length 0.
std::vector<size_t> longest_first(std::span<const int64_t> lengths);
// The same, split into batches.
std::vector<std::vector<size_t>> plan_batches(std::span<const int64_t> lengths, const TranslateOptions& options);

}  // namespace hexapla::decode
