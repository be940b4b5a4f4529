#pragma once
// Whoever runs pairs through a model once more (forced decoding) to see what each token looked at: workers, in batches,
// or the thread of a decode loop, one pair after the other. The weights are the same bits.
#include <functional>
#include <vector>

#include "decode/rescoring/pair_batches.h"

namespace hexapla::decode {

// see(i, the weights of the tokens of pair i) for each pair, perhaps from several threads. Sources end with </s>,
// targets are without <s> and </s>.
using SeeAlignment = std::function<void(size_t i, SoftAlignment)>;
using Aligner =
    std::function<void(std::vector<text::Ids> sources, std::vector<text::Ids> targets, const SeeAlignment& see)>;

// Borrow everything. UsageError when they are used: the model has no such layer or head.
Aligner worker_aligner(const PairReader& reader, const TranslateOptions& options);
// Takes memory from cx's arena and gives it back: align_memory() of a pair.
Aligner loop_aligner(Context& cx, const model::Transformer& model, const SpecialIds& special,
                     const AttentionHead& attention);

}  // namespace hexapla::decode
