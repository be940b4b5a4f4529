#pragma once
// Adam (section 5.3) on the trained parameters, and their exponential moving average.
#include <exception>
#include <optional>
#include <set>

#include "base/compute/pages.h"
#include "model/parameters/parameters.h"
#include "model/transformer.h"
#include "train/plan/options/schedule.h"
#include "train/shards/communicator.h"

namespace hexapla::train {

// Adjacent values in the slabs of Parameters that are treated alike.
struct Part {
  int64_t from, count;
  bool trained, decays;
  int64_t held = 0;  // its offset in a slab of this process's slice
};

// A process's shares of the slabs, ascending and disjoint; its own slabs hold them contiguously.
using Slice = std::vector<cluster::Share>;

// The whole slab in parts. Weight decay applies to the matrices of linear maps, not to biases, norm
// gains and embeddings, whose magnitude has a meaning of its own. frozen: parameter names.
std::vector<Part> parts_of(model::Transformer& model, const model::Parameters& parameters,
                           const std::set<std::string>& frozen, bool with_decay);

// Intersects the parts with a slice of the slabs.
std::vector<Part> parts_within(const std::vector<Part>& parts, const Slice& slice);

// One loop over four slabs: values, gradients, first and second moments.
class Optimizer {
 public:
  // slice: what is updated here of the slabs; everything if absent. UsageError: `freeze`,
  // `schedule` (frozen_parameters, make_schedule).
  Optimizer(model::Transformer& model, model::Parameters& parameters, const TrainOptions& options,
            const std::optional<Slice>& slice = {});

  // step: 1 at the first update; scale: the plateau's factor.
  double learning_rate(int64_t step, double scale) const;
  void reschedule() { schedule_ = make_schedule(options_); }  // after the options' warm-up changed
  // Norm of the trained parameters' gradient, before clipping; zeroes the rest of the gradient.
  double gradient_norm(Context& cx, Communicator& communicator);
  // norm: from gradient_norm. Leaves values and moments of frozen parameters unchanged.
  void update(Context& cx, int64_t step, double scale, double norm);

  Tensor first_moments() const { return first_; }  // of the slice
  Tensor second_moments() const { return second_; }
  void forget_moments();                                     // after the last update: releases their memory
  const std::vector<Part>& parts() const { return parts_; }  // within the slice

 private:
  model::Parameters& parameters_;
  const TrainOptions& options_;
  Schedule schedule_;
  Slice slice_;
  std::vector<Part> parts_;
  Pages first_pages_, second_pages_;
  Tensor first_, second_;
};

// a <- decay_t a + (1 - decay_t) values after every update, for parameters and running statistics
// (which belong to the weights they were collected with). decay_t = min(decay, (1 + t) / (10 + t)),
// in f32: it limits the weight of the first updates. With decay 0 it takes no memory and does
// nothing.
class MovingAverage {
 public:
  // parts: what changes; the rest equals the values. slice: averaged here; everything if absent.
  MovingAverage(model::Parameters& parameters, const std::vector<Part>& parts, double decay,
                const std::optional<Slice>& slice = {});

  explicit operator bool() const { return decay_ > 0; }
  Tensor slab() const { return slab_; }        // of the slice; empty with decay 0
  Tensor buffers() const { return buffers_; }  // on the host; also empty if the model has none
  void start();                                // from the current values
  void start_statistics();                     // the same for running statistics only
  void update(Context& cx, int64_t step);
  // Swaps the slice's values and average; a second call restores both exactly.
  void swap();

 private:
  // f(values, average) of each share of the slice
  template <class F>
  void for_shares(F&& f) const;

  model::Parameters& parameters_;
  Slice slice_;
  std::vector<Part> parts_;
  double decay_;
  std::vector<float> statistics_;
  Pages pages_;
  Tensor slab_, buffers_;
};

// While this exists, the model has the averaged weights. All processes must create it together.
class UseAverage {
 public:
  UseAverage(MovingAverage& average, model::Parameters& parameters, Communicator& communicator)
      : average_(average), parameters_(parameters), communicator_(communicator), errors_(std::uncaught_exceptions()) {
    average_.swap();
    complete();
  }
  // Stopping a validation restores the weights, for the checkpoint that follows. After an error
  // this process ends, and with it the others: they would not answer.
  ~UseAverage() {
    average_.swap();
    if (std::uncaught_exceptions() == errors_) complete();
  }
  UseAverage(const UseAverage&) = delete;
  UseAverage& operator=(const UseAverage&) = delete;

 private:
  void complete() {
    if (average_) communicator_.complete(parameters_.values());
  }

  MovingAverage& average_;
  model::Parameters& parameters_;
  Communicator& communicator_;
  int errors_;
};

}  // namespace hexapla::train
