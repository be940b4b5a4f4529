#pragma once
// Marian's decoders begin with zeros, the paper's with the embedding e of a start token. With
// post-norm, the latter can be converted to the former exactly:
//   e is subtracted from every row of the table, so that the start token's row is zero;
//   then c = sqrt(d_model) e is missing in every sum of embedding and position. Only the first
//   sublayer, LayerNorm(x + SelfAttention(x)), reads it: the q, k, v projections get a bias c W,
//   and the output projection's bias gets c for the residual connection;
//   if the table is also the generator's weight, all logits lose the same h . e, which softmax
//   ignores.
#include <map>
#include <string>
#include <vector>

#include "model/weights/model_file.h"

namespace hexapla::convert {

// Changes to one stack: new numbers by parameter, including biases that the model may not have.
struct StartFolded {
  std::map<std::string, std::vector<float>> changed;
};

// For the decoder, and for the encoder if it shares the table; empty if the start token's row,
// `start` in the target table, is zero already. DataError: a start token with an embedding in a
// model with pre-norm, with a norm on the embedded input, or with a recurrence in its decoder.
std::vector<StartFolded> folded_starts(const model::LoadedModel& model, int64_t start);

}  // namespace hexapla::convert
