#pragma once
// What an update minimizes, and a batch's part of it.
#include "data/batches/batch.h"
#include "model/transformer.h"
#include "train/options/options.h"

namespace hexapla::train {

// Which head of the decoder learns to follow word alignments, and how much that counts.
struct Guidance {
  int64_t layer = 0, head = 0;
  double weight = 0;
};

// The label-smoothed cross-entropy, and what is added to it.
struct Objective {
  double label_smoothing = 0;
  double r_drop = 0;       // alpha of R-Drop; 0: each batch passes once
  Guidance guidance = {};  // of batches with links
};
Objective objective_of(const TrainOptions& options);

// A batch as the model takes it. scale: of the gradients of the loss. Without links, nothing is guided.
model::BatchView view(const data::Batch& batch, const Guidance& guidance, double scale);

// The batch, and all of it once more: what R-Drop passes through the model.
data::Batch twice(const data::Batch& batch);

// Forward and backward: adds to every parameter's gradient that of scale * the objective, summed over the target
// tokens of the batch. With R-Drop (Liang et al. 2021) that is half of what the paper minimizes: the mean of the two
// cross-entropies + alpha / 4 * (KL(P || Q) + KL(Q || P)). The sums are those of one pass, the mean of the two.
// With experts, the load of each batch counts by itself: LossSums::balancing is part of the objective.
model::LossSums loss_and_gradient(Context& cx, const model::Transformer& model, const data::Batch& batch,
                                  const Objective& objective, double scale, model::Transformer::Saved& saved);

}  // namespace hexapla::train
