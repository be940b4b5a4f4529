#pragma once
#include <memory>

#include "decode/queue.h"
#include "decode/search/decoding_strategy.h"

namespace hexapla::decode {

// The way of decoding that options and constraints ask for. Borrows all of them. UsageError: sampling, where a sentence
// has words that are required.
std::unique_ptr<DecodingStrategy> make_strategy(const AllConstraints& all, const SearchOptions& options,
                                                const SpecialIds& special);

}  // namespace hexapla::decode
