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
  double r_drop = 0;       // R-Drop's alpha; 0: each batch passes once
  Guidance guidance = {};  // for batches with links
};
Objective objective_of(const TrainOptions& options);

// The batch as the model takes it. scale: for the loss gradients. Without links nothing is guided.
model::BatchView view(const data::Batch& batch, const Guidance& guidance, double scale);

// The batch repeated once: R-Drop passes both copies through the model.
data::Batch twice(const data::Batch& batch);

// Forward and backward: adds the gradient of scale * the objective, summed over the batch's target
// tokens, to every parameter's gradient. With R-Drop (Liang et al. 2021) the objective is half of
// the paper's: the mean of the two cross-entropies + alpha / 4 * (KL(P || Q) + KL(Q || P)); the
// returned sums are the mean of the two passes. With experts, each batch's load is balanced
// separately: LossSums::balancing is part of the objective.
model::LossSums loss_and_gradient(Context& cx, const model::Transformer& model, const data::Batch& batch,
                                  const Objective& objective, double scale, model::Transformer::Saved& saved);

}  // namespace hexapla::train
