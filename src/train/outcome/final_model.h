#pragma once
// The model files of a run, and the means that its result may be.
#include <optional>
#include <string>
#include <vector>

#include "model/transformer.h"
#include "model/weights/parameters.h"
#include "train/data/training_data.h"
#include "train/loop/result.h"
#include "train/run/checkpoint.h"
#include "train/run/run_state.h"

namespace hexapla::train {

// What a model file is made of, beside the state of its run.
struct Trained {
  model::Transformer& model;
  const TrainingData& data;
  const TrainOptions& options;
  const Backend& backend;
};

// How the models of a run are used: as its data says, and with the head that it guides.
model::Usage usage_of_run(const TrainingData& data, const TrainOptions& options);

// Which of a run's weights a model file holds.
struct Weights {
  enum class Kind { last, best, mean_of_last, mean_of_best };  // best: on the validation set when it was written
  Kind kind = Kind::last;
  std::vector<int64_t> updates{};  // one, or those that entered a mean
  std::optional<double> score{};   // on the validation set, by `best-by`

  bool is_mean() const { return kind == Kind::mean_of_last || kind == Kind::mean_of_best; }
  std::string text() const;  // "mean of the last 5 checkpoints", "model of update 1200"
};

// Writes the weights that are in the model now: with its configuration, its vocabulary, which weights they are, and how
// it was trained: all that running it again needs (train/provenance/provenance.h), and nothing that depends on the
// clock, so that equal runs give equal files. RunError.
void save_run_model(const std::string& path, const Trained& trained, const RunState& state, const Weights& weights);

// Which updates the mean of the last `most` states of a run is over, oldest first: of those that it saved and of
// `now`, which it ends with, the newest. None is of before the last quarter of its updates, and none of the warm-up,
// unless the run has not got out of it (docs/adr/0014).
std::vector<int64_t> updates_of_mean(std::vector<int64_t> saved, int64_t now, int64_t most, int64_t warmup);

// Removes the checkpoints that no mean of the last states can take any more, now or at a later end of the run (with
// averages false: that are not the newest), but never the newest. -> how many. RunError.
int64_t remove_out_of_reach(const std::string& folder, int64_t now, bool averages);

// save_checkpoint(), and where the disk is full those that are out of reach make room.
void save_and_free_space(const std::string& folder, int64_t update, const CheckpointContent& content, bool averages);

struct MeanOfStates {
  std::vector<int64_t> updates;      // that entered
  std::vector<int64_t> missing;      // that could not be read
  std::vector<std::string> notes{};  // why, of those that are there
};
// Replaces the parameters (and buffers), which are those of the last of these updates, by the mean over all of them;
// the others are read from their checkpoints. name: of the tensor that is the model, "values" or "average". The sums
// are taken in f64, oldest first.
MeanOfStates average_checkpoints(const std::string& folder, const std::vector<int64_t>& updates,
                                 const std::string& name, model::Parameters& parameters);

// Replaces the parameters (and buffers) by the mean over those of these updates that can be read; where none can, they
// stay as they are.
MeanOfStates average_best(const std::string& run, const std::vector<int64_t>& updates, model::Parameters& parameters);

}  // namespace hexapla::train
