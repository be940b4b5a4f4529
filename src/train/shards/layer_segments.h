#pragma once
// Where the layers of a model lie in its slabs.
#include <vector>

#include "model/transformer.h"
#include "model/weights/parameters.h"

namespace hexapla::train {

// A segment is a layer of encoder or decoder, with what comes behind it and before the next; the first one is what
// comes before the layers: embeddings. A backward pass ends with one after the other, from the last to the first.
struct LayerSegments {
  std::vector<int64_t> starts;  // in the slab, of all segments but the first
  int encoder_layers = 0;

  int of_layer(GradientListener::Stack stack, int layer) const {
    return 1 + layer + (stack == GradientListener::Stack::decoder ? encoder_layers : 0);
  }
};
LayerSegments layer_segments(const model::Transformer& model, const model::Parameters& parameters);

}  // namespace hexapla::train
