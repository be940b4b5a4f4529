#pragma once
#include <span>
#include <vector>

#include "decode/translate_options.h"

namespace hexapla::decode {

// Places of sentences, the longest first; those of length 0 are left out.
std::vector<size_t> longest_first(std::span<const int64_t> lengths);
// The same in batches.
std::vector<std::vector<size_t>> plan_batches(std::span<const int64_t> lengths, const TranslateOptions& options);

}  // namespace hexapla::decode
