#pragma once
#include <string>

#include "model/parameters.h"
#include "train/run_state.h"
#include "train/trainer.h"

namespace hexapla {

// The model file of a run: weights, configuration, vocabulary, and how it was trained: all that running it again
// needs (train/capsule.h), and nothing that depends on the clock, so that equal runs give equal files.
void save_run_model(const std::string& path, Transformer& model, const TrainingData& data, const RunState& state,
                    const TrainOptions& options, const Backend& backend);

// Replaces the parameters (and buffers) by the mean over the newest `count` valid checkpoints, or as many as there
// are. The sums are taken in f64, oldest first. -> the updates that entered.
std::vector<int64_t> average_checkpoints(const std::string& folder, int64_t count, Parameters& parameters);

void copy_model(const std::string& from, const std::string& to);

}  // namespace hexapla
