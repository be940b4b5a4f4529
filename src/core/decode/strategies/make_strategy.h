#pragma once
#include <memory>

#include "decode/constraints/sentence_constraints.h"
#include "decode/strategies/decoding_strategy.h"

namespace hexapla::decode {

// The decoding strategy for these options and constraints. Borrows all of them. UsageError:
// sampling for a sentence with required phrases.
std::unique_ptr<DecodingStrategy> make_strategy(const AllConstraints& all, const SearchOptions& options,
                                                const SpecialIds& special);

}  // namespace hexapla::decode
