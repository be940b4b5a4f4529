#include "train/plan/objective.h"

namespace hexapla::train {

Objective objective_of(const TrainOptions& o) {
  return {o.label_smoothing, {o.guided_layer(), o.guided_alignment_head, o.guided_alignment_weight}};
}

model::BatchView view(const data::Batch& b, const Guidance& g, double scale) {
  return {b.source,         b.target_in,      b.target_out,
          b.source_offsets, b.target_offsets, {g.layer, g.head, g.weight * scale, b.link_offsets, b.linked}};
}

model::LossSums loss_and_gradient(Context& cx, const model::Transformer& model, const data::Batch& batch,
                                  const Objective& o, double scale, model::Transformer::Saved& saved) {
  return model.loss_and_gradient(cx, view(batch, o.guidance, scale), o.label_smoothing, scale, saved);
}

}  // namespace hexapla::train
