#pragma once
// The positions of a model's layers in its slabs.
#include <vector>

#include "model/parameters/parameters.h"
#include "model/transformer.h"

namespace hexapla::train {

// A segment is an encoder or decoder layer plus whatever follows it before the next; the first one
// holds what precedes the layers: embeddings. A backward pass finishes segments from the last to
// the first.
struct LayerSegments {
  std::vector<int64_t> starts;  // in the slab, for all segments but the first
  int encoder_layers = 0;

  int of_layer(GradientListener::Stack stack, int layer) const {
    return 1 + layer + (stack == GradientListener::Stack::decoder ? encoder_layers : 0);
  }
};
LayerSegments layer_segments(const model::Transformer& model, const model::Parameters& parameters);

}  // namespace hexapla::train
