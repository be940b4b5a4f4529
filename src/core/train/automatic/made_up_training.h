#pragma once
// Measures how fast this machine trains a model, before there is a vocabulary.
#include "backend/backend.h"
#include "train/feed/training_data.h"

namespace hexapla::train {

// Pieces without meaning. size: at least 5.
text::Vocabulary made_up_vocabulary(int64_t size);

// Target tokens per second of training with these options, on made-up pairs of these lengths (tokens). Computes two
// updates at least, then more for up to `seconds`. UsageError: the model does not fit into memory.
double training_speed(const TrainOptions& options, Backend& backend, int64_t source_length, int64_t target_length,
                      double seconds);

}  // namespace hexapla::train
