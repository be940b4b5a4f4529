#pragma once
// The steps of attention (section 3.2.1) that no op of the model stores, computed from its recorded
// intermediates. In f64, like the scores and weights.
#include "inspect/recorder.h"

namespace hexapla::inspect {

// Adds to each attention's q, k, scores and weights: SCOPE.unscaled, q k^T of each head [H,
// queries, keys], if the score is a dot product; and for the decoder: decoder.mask [m + 1, m + 1],
// which is added to the scores of its self-attention: 0 where a token may attend, otherwise -inf.
void add_attention_steps(Recorder& seen, const model::Config& config);

// Adds to gradient.SCOPE.heads: gradient.SCOPE.weights, gradient.SCOPE.scores and, for a dot
// product, gradient.SCOPE.unscaled. Derivatives of masked scores are 0.
void add_attention_gradients(Recorder& seen, const model::Config& config);

}  // namespace hexapla::inspect
