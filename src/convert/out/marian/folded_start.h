#pragma once
// Decoders of Marian begin with zeros, those of the paper with the embedding e of a start token. Where the norm stands
// behind the sublayers, one can be said as the other, exactly:
//   every row of the table loses e, so that the start token's is zeros;
//   the sum of embedding and position then lacks c = sqrt(d_model) e at every token. Only the first sublayer reads it,
//   LayerNorm(x + SelfAttention(x)): the projections q, k, v get their share c W as a bias, the residual connection its
//   c as the bias of the output projection;
//   where the table is the generator's weight, too, all logits lose the same h . e, which no softmax sees.
#include <map>
#include <string>
#include <vector>

#include "model/weights/model_file.h"

namespace hexapla::convert {

// Of one stack: parameters by name with their new numbers, biases among them that the model may not have.
struct StartFolded {
  std::map<std::string, std::vector<float>> changed;
};

// For the decoder, and for the encoder where it has the same table; none where the start token's row, of index `start`
// in the target's table, is zeros already. DataError: a start token with an embedding in a model with the norm before
// its sublayers, with a norm on the embedded input, or with a recurrence in its decoder.
std::vector<StartFolded> folded_starts(const model::LoadedModel& model, int64_t start);

}  // namespace hexapla::convert
