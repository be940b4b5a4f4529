#pragma once
// A single training step: saved in DIR/failure by a failing run, and replayed op by op.
//
//   DIR/failure/update-00001234/   the state before the step, written as a checkpoint; state.json has the batch
//   DIR/failure/lines.txt          its pairs: line number (with several sets 2:7, line 7 of the second), source, target
//   DIR/failure/report.txt         the findings
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/decorators/value_checker.h"
#include "data/batches/batch.h"
#include "model/parameters/parameters.h"
#include "train/plan/objective.h"
#include "train/record/checkpoint.h"

namespace hexapla::train {

// Inputs of a step besides the weights.
struct Step {
  int64_t update = 1;         // number of the update, from 1
  uint32_t dropout_step = 1;  // Context::step of the first batch; incremented for each batch
  uint64_t seed = 1;
  Objective objective;
  std::string precision = "f32";
  std::string reason;                // why it was saved: "the loss became nan at update 7"
  std::vector<data::Batch> batches;  // of the step; the loss is the mean over all their tokens
};

struct SavedStep {
  Step step;
  std::unique_ptr<model::Transformer> model;
  std::unique_ptr<model::Parameters> parameters;
};

// Writes folder (DIR/failure), replacing an earlier failure. content: of a checkpoint of the run,
// including its tensor "values". RunError: cannot be written.
void save_step(const std::string& folder, const Step& step, const model::Config& config, CheckpointContent content,
               const text::Vocabulary& source, const text::Vocabulary& target);
// path: a run folder or its failure folder. DataError: missing or damaged.
SavedStep load_step(const std::string& path);

struct BadParameter {
  std::string name;
  Extremes found;
};
struct StepFindings {
  std::vector<BadParameter> parameters;  // with non-finite values before the step
  std::vector<OpOutput> outputs;         // of every op of the step, in order
  size_t first_bad = 0;                  // index into outputs; outputs.size(): none
  model::LossSums loss;                  // over all batches
  double gradient_norm = 0;

  bool bad() const { return first_bad < outputs.size(); }
  // "the first bad value is in y of linear, in encoder.layers.0.feed_forward: ...", or that there
  // is none.
  std::string text() const;
};

// Runs the step forward and backward on cx's backend and arena, checking every value. Overwrites
// the gradients.
StepFindings check_step(Context& cx, model::Transformer& model, const model::Parameters& parameters, const Step& step);

// Describes a problem with a step's loss (summed over tokens) or gradient norm: "the loss became
// nan at update 12", or a jump; "" if there is none. mean: recent loss per token; 0: not known yet.
// most: allowed multiple of the mean; 0: any. clip: of the norm; 0: not clipped.
std::string trouble(const model::LossSums& loss, double norm, double clip, double mean, double most);

// "lines 3, 17, 20 and 125 more".
std::string lines_of(const Step& step);

}  // namespace hexapla::train
