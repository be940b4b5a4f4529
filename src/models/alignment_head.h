#pragma once
#include "models/open_model.h"

namespace hexapla::models {

// The attention over the encoder that word alignments follow in this model: the head that its record names, or, where
// it names none, the mean over the heads of default_alignment_layer().
decode::AttentionHead alignment_head(const OpenModel& model);
// The decoder layer whose attention follows the words best in models that nobody guided (docs/alignment.md): the last
// but one.
int64_t default_alignment_layer(const model::Config& config);

}  // namespace hexapla::models
