#pragma once
// Adam (section 5.3) on what is to be trained, and the exponential moving average of the same parameters.
#include <set>

#include "model/transformer.h"
#include "model/weights/parameters.h"
#include "train/loop/schedule.h"

namespace hexapla::train {

// A run of neighbors in the slabs of Parameters that are treated alike.
struct Part {
  int64_t from, count;
  bool trained, decays;
};

// The whole slab in parts. Weight decay is for the matrices of linear maps: not for biases, gains of norms and
// embeddings, whose size means something of its own. frozen: names of parameters.
std::vector<Part> parts_of(model::Transformer& model, const model::Parameters& parameters,
                           const std::set<std::string>& frozen, bool with_decay);

// One loop over four slabs: values, gradients, first and second moments.
class Optimizer {
 public:
  // UsageError: `freeze`, `schedule` (frozen_parameters, make_schedule).
  Optimizer(model::Transformer& model, model::Parameters& parameters, const TrainOptions& options);

  // step: 1 at the first update; scale: of a plateau.
  double learning_rate(int64_t step, double scale) const;
  // Of the gradient of what is trained, before clipping; the rest of the gradient becomes zero.
  double gradient_norm(Context& cx);
  // norm: as gradient_norm gave it. Values and moments of what is frozen are not touched.
  void update(Context& cx, int64_t step, double scale, double norm);

  Tensor first_moments() const { return first_; }
  Tensor second_moments() const { return second_; }
  void forget_moments();  // no update follows: their memory is the system's
  const std::vector<Part>& parts() const { return parts_; }

 private:
  model::Parameters& parameters_;
  const TrainOptions& options_;
  Schedule schedule_;
  std::vector<Part> parts_;
  Tensor first_, second_;
};

// a <- decay_t a + (1 - decay_t) values after every update, of parameters and of running statistics (which are those of
// the weights that they were taken with). decay_t = min(decay, (1 + t) / (10 + t)), as f32 has it: the first updates do
// not weigh as if they were many. With decay 0 it takes no memory and does nothing.
class MovingAverage {
 public:
  // parts: what changes; the rest is the values' own.
  MovingAverage(model::Parameters& parameters, const std::vector<Part>& parts, double decay);

  explicit operator bool() const { return decay_ > 0; }
  Tensor slab() const { return slab_; }        // nothing with decay 0
  Tensor buffers() const { return buffers_; }  // nor where the model has none
  void start();                                // from the values as they are
  void start_statistics();                     // the same of the running statistics alone
  void update(Context& cx, int64_t step);
  // Values and average change places; called again, they are back to the bit.
  void swap();

 private:
  model::Parameters& parameters_;
  std::vector<Part> parts_;
  double decay_;
  std::vector<float> statistics_;
  Tensor slab_, buffers_;
};

// The model is the averaged one while this lives.
class UseAverage {
 public:
  explicit UseAverage(MovingAverage& average) : average_(average) { average_.swap(); }
  ~UseAverage() { average_.swap(); }
  UseAverage(const UseAverage&) = delete;
  UseAverage& operator=(const UseAverage&) = delete;

 private:
  MovingAverage& average_;
};

}  // namespace hexapla::train
