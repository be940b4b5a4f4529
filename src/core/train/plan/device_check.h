#pragma once
#include "backend/backend.h"
#include "train/plan/options/options.h"

namespace hexapla::train {

// UsageError: the device lacks something that the training needs. Call it before anything is read or written.
void check_device(Backend& backend, const TrainOptions& options);
// The part of it about `shards`.
void check_shards(const Backend& backend, int64_t shards);

}  // namespace hexapla::train
