#pragma once
#include "data/batches/batch.h"
#include "model/transformer.h"
#include "train/options/options.h"

namespace hexapla::train {

// Which head of the decoder learns to follow word alignments, and how much that counts.
struct Guidance {
  int64_t layer = 0, head = 0;
  double weight = 0;
};
inline Guidance guidance_of(const TrainOptions& o) {
  return {o.guided_layer(), o.guided_alignment_head, o.guided_alignment_weight};
}

// A batch as the model takes it. scale: of the gradients of the loss. Without links, nothing is guided.
inline model::BatchView view(const data::Batch& b, const Guidance& g, double scale) {
  return {b.source,         b.target_in,      b.target_out,
          b.source_offsets, b.target_offsets, {g.layer, g.head, g.weight * scale, b.link_offsets, b.linked}};
}

}  // namespace hexapla::train
