#pragma once
#include "decode/opened/open_model.h"

namespace hexapla::decode {

// The head whose attention over the encoder gives this model's word alignments: the one that its
// record names, or, without one, the mean over the heads of default_alignment_layer().
decode::AttentionHead alignment_head(const OpenModel& model);
// The decoder layer whose attention matches word alignments best in models trained without guided
// alignment (docs/alignment.md): the last but one.
int64_t default_alignment_layer(const model::Config& config);

}  // namespace hexapla::decode
