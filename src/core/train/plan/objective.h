#pragma once
// The training objective, and its value and gradient for a batch.
#include "data/batches/batch.h"
#include "model/transformer.h"
#include "train/plan/options/options.h"

namespace hexapla::train {

// The decoder head that learns to follow word alignments, and its weight in the loss.
struct Guidance {
  int64_t layer = 0, head = 0;
  double weight = 0;
};

// Label-smoothed cross-entropy plus optional terms.
struct Objective {
  double label_smoothing = 0;
  Guidance guidance = {};  // for batches with links
};
Objective objective_of(const TrainOptions& options);

// The batch as the model takes it. scale: for the loss gradients. Without links nothing is guided.
model::BatchView view(const data::Batch& batch, const Guidance& guidance, double scale);

// Forward and backward: adds the gradient of scale * the objective, summed over the batch's target
// tokens, to every parameter's gradient. With experts, each batch's load is balanced separately:
// LossSums::balancing is part of the objective.
model::LossSums loss_and_gradient(Context& cx, const model::Transformer& model, const data::Batch& batch,
                                  const Objective& objective, double scale, model::Transformer::Saved& saved);

}  // namespace hexapla::train
