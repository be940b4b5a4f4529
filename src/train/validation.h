#pragma once
#include "train/trainer.h"

namespace hexapla {

// Loss, perplexity and BLEU on the validation set, with three translations to look at. Leaves update and epoch alone.
Validation validate(Context& cx, const Transformer& model, const TrainingData& data, const TrainOptions& options);

}  // namespace hexapla
