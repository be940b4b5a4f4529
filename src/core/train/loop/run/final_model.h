#pragma once
// Model files of a run, and the means that may be its result.
#include <optional>
#include <string>
#include <vector>

#include "model/parameters/parameters.h"
#include "model/transformer.h"
#include "train/feed/training_data.h"
#include "train/loop/run/result.h"
#include "train/record/checkpoint.h"
#include "train/record/run_state.h"

namespace hexapla::train {

// Inputs of a model file besides the run's state.
struct Trained {
  model::Transformer& model;
  model::Parameters& parameters;  // of the model
  const TrainingData& data;
  const TrainOptions& options;
  const Backend& backend;
};

// Usage of a run's models: from its data, and the guided head.
model::Usage usage_of_run(const TrainingData& data, const TrainOptions& options);

// Which of a run's weights a model file holds.
struct Weights {
  enum class Kind { last, best, mean_of_last, mean_of_best };  // best: on the validation set when it was written
  Kind kind = Kind::last;
  std::vector<int64_t> updates{};      // a single one, or those in the mean
  std::optional<Standing> standing{};  // on the validation set, by `best-by`

  bool is_mean() const { return kind == Kind::mean_of_last || kind == Kind::mean_of_best; }
  std::string text() const;  // "mean of the last 5 checkpoints", "model of update 1200"
};

// Writes the model's current weights with configuration, vocabularies, the kind of weights and the
// full provenance (train/record/provenance.h). Nothing depends on the clock, so equal runs give
// equal files. RunError.
void save_run_model(const std::string& path, const Trained& trained, const RunState& state, const Weights& weights);

// Updates in the mean of the last `most` states of a run, oldest first, taken from the saved ones
// and ending with `now`, the newest. Excludes updates before the last quarter of the run and,
// unless the run ended within it, those of the warm-up (docs/adr/0014).
std::vector<int64_t> updates_of_mean(std::vector<int64_t> saved, int64_t now, int64_t most, int64_t warmup);

// Removes checkpoints that no mean of last states can include, now or at a later end of the run
// (averages false: all but the newest); never removes the newest. -> the number removed. RunError.
int64_t remove_out_of_reach(const std::string& folder, int64_t now, bool averages);

// save_checkpoint(); if the disk is full, frees space by remove_out_of_reach().
void save_and_free_space(const std::string& folder, int64_t update, const CheckpointContent& content, bool averages);

struct MeanOfStates {
  std::vector<int64_t> updates;      // included
  std::vector<int64_t> missing;      // unreadable
  std::vector<std::string> notes{};  // reasons, for those that exist
};
// Replaces the parameters (and buffers), which hold the last of these updates, by the mean over
// all; reads the others from checkpoints. name: tensor with the weights, "values" or "average".
// Sums in f64, oldest first.
MeanOfStates average_checkpoints(const std::string& folder, const std::vector<int64_t>& updates,
                                 const std::string& name, model::Parameters& parameters);

// Replaces the parameters (and buffers) by the mean over the readable ones of these updates; leaves
// them unchanged if none is readable.
MeanOfStates average_best(const std::string& run, const std::vector<int64_t>& updates, model::Parameters& parameters);

}  // namespace hexapla::train
