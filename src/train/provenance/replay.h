#pragma once
// One step of training by itself: what a run that fails leaves in DIR/failure, and how it is run again, op by op.
//
//   DIR/failure/update-00001234/   the state before the step, written as a checkpoint; state.json has the batch
//   DIR/failure/lines.txt          its pairs: line number (with several sets 2:7, line 7 of the second), source, target
//   DIR/failure/report.txt         what was found
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/value_checker.h"
#include "data/batches/batch.h"
#include "model/weights/parameters.h"
#include "train/objective/objective.h"
#include "train/run/checkpoint.h"

namespace hexapla::train {

// What a step computes with, beside the model's weights.
struct Step {
  int64_t update = 1;         // its number: the first one is 1
  uint32_t dropout_step = 1;  // Context::step of the first batch; the others follow
  uint64_t seed = 1;
  Objective objective;
  std::string precision = "f32";
  std::string reason;                // why it was written: "the loss became nan at update 7"
  std::vector<data::Batch> batches;  // that make up the step; the loss is the mean over the tokens of all
};

struct SavedStep {
  Step step;
  std::unique_ptr<model::Transformer> model;
  std::unique_ptr<model::Parameters> parameters;
};

// Writes folder (DIR/failure), replacing what an earlier failure left there. content: what a checkpoint of the run
// holds, its tensor "values" among it. RunError where it cannot be written.
void save_step(const std::string& folder, const Step& step, const model::Config& config, CheckpointContent content,
               const text::Vocabulary& source, const text::Vocabulary& target);
// path: the folder of a run, or its failure folder. DataError where there is none, or it is damaged.
SavedStep load_step(const std::string& path);

struct BadParameter {
  std::string name;
  Extremes found;
};
struct StepFindings {
  std::vector<BadParameter> parameters;  // with a value that is not finite, before the step
  std::vector<OpOutput> outputs;         // of every op of the step, in order
  size_t first_bad = 0;                  // of outputs; outputs.size(): none
  model::LossSums loss;                  // of all batches
  double gradient_norm = 0;

  bool bad() const { return first_bad < outputs.size(); }
  // "the first bad value is in y of linear, in encoder.layers.0.feed_forward: ..."; or that there is none.
  std::string text() const;
};

// Runs the step, forward and backward, with a look at every number, on the backend and the arena of cx. Overwrites the
// gradients.
StepFindings check_step(Context& cx, model::Transformer& model, const model::Parameters& parameters, const Step& step);

// What is wrong with a step of this loss (summed over tokens) and gradient norm: "the loss became nan at update 12", or
// a jump; "" where nothing is. mean: of the loss a token, lately; 0: too early to say. most: times the mean, 0: any.
// clip: of the norm, 0: it is not clipped.
std::string trouble(const model::LossSums& loss, double norm, double clip, double mean, double most);

// "lines 3, 17, 20 and 125 more".
std::string lines_of(const Step& step);

}  // namespace hexapla::train
