#pragma once
#include "train/trainer.h"

namespace hexapla {

// Of the metric of --best-by.
double score_of(const Validation& v, const std::string& metric);

// Loss, perplexity and BLEU and chrF on the validation set, with five translations to look at. Leaves update and epoch
// alone.
Validation validate(Context& cx, const Transformer& model, const TrainingData& data, const TrainOptions& options);

// A line of DIR/valid.jsonl.
std::string to_json(const Validation& v);

}  // namespace hexapla
