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
// are. name: of the tensor that is the model, "values" or "average". The sums are taken in f64, oldest first.
// -> the updates that entered.
std::vector<int64_t> average_checkpoints(const std::string& folder, int64_t count, const std::string& name,
                                         Parameters& parameters);

// DIR/best/update-00001200.safetensors: the models of --average-best.
std::string best_model_path(const std::string& run, int64_t update);
// Replaces the parameters (and buffers) by the mean over those of these updates. DataError: one is missing or damaged.
void average_best(const std::string& run, const std::vector<int64_t>& updates, Parameters& parameters);
// Removes those of other updates.
void prune_best(const std::string& run, const std::vector<int64_t>& updates);

void copy_model(const std::string& from, const std::string& to);

}  // namespace hexapla
