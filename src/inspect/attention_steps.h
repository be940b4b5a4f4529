#pragma once
// The steps of attention (section 3.2.1) that no op of the model holds, worked out from those that it shows. In f64, as
// the scores and the weights are.
#include "inspect/recorder.h"

namespace hexapla::inspect {

// Beside the q, k, scores and weights of each attention: SCOPE.unscaled, q k^T of each head [H, queries, keys], where
// the score is a dot product. Beside the decoder's: decoder.mask [m + 1, m + 1], which the scores of its self-attention
// have added: 0 where a token may see another one, else -inf.
void add_attention_steps(Recorder& seen, const model::Config& config);

// Beside gradient.SCOPE.heads: gradient.SCOPE.weights, gradient.SCOPE.scores and, of a dot product,
// gradient.SCOPE.unscaled. Those of masked scores are 0.
void add_attention_gradients(Recorder& seen, const model::Config& config);

}  // namespace hexapla::inspect
