#pragma once
// Runs pairs through a model again (forced decoding) to get the attention of each token: by workers
// in batches, or in the thread of a decode loop one pair at a time. The weights are bit-identical.
#include <functional>
#include <vector>

#include "decode/rescoring/pair_batches.h"

namespace hexapla::decode {

// Calls see(i, the attention weights of pair i) for each pair, possibly from several threads.
// Sources end with </s>; targets are without <s> and </s>.
using SeeAlignment = std::function<void(size_t i, SoftAlignment)>;
using Aligner =
    std::function<void(std::vector<text::Ids> sources, std::vector<text::Ids> targets, const SeeAlignment& see)>;

// Borrow everything. UsageError on use: the model has no such layer or head.
Aligner worker_aligner(const PairReader& reader, const TranslateOptions& options);
// Takes memory from cx's arena temporarily: align_memory() of a pair.
Aligner loop_aligner(Context& cx, const model::Transformer& model, const SpecialIds& special,
                     const AttentionHead& attention);

}  // namespace hexapla::decode
