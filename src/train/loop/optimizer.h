#pragma once
// Adam (section 5.3) on what is to be trained, and the exponential moving average of the same parameters.
#include <exception>
#include <optional>
#include <set>

#include "base/compute/pages.h"
#include "model/transformer.h"
#include "model/weights/parameters.h"
#include "train/loop/communicator.h"
#include "train/loop/schedule.h"

namespace hexapla::train {

// A run of neighbors in the slabs of Parameters that are treated alike.
struct Part {
  int64_t from, count;
  bool trained, decays;
  int64_t held = 0;  // where it begins in what a process has of such a slab
};

// What one process has of the slabs, ascending and apart from each other: of its own slabs, in a row.
using Slice = std::vector<cluster::Share>;

// The whole slab in parts. Weight decay is for the matrices of linear maps: not for biases, gains of norms and
// embeddings, whose size means something of its own. frozen: names of parameters.
std::vector<Part> parts_of(model::Transformer& model, const model::Parameters& parameters,
                           const std::set<std::string>& frozen, bool with_decay);

// What of the parts lies in a slice of the slabs.
std::vector<Part> parts_within(const std::vector<Part>& parts, const Slice& slice);

// One loop over four slabs: values, gradients, first and second moments.
class Optimizer {
 public:
  // slice: of the slabs, what is updated here; without it all. UsageError: `freeze`, `schedule` (frozen_parameters,
  // make_schedule).
  Optimizer(model::Transformer& model, model::Parameters& parameters, const TrainOptions& options,
            const std::optional<Slice>& slice = {});

  // step: 1 at the first update; scale: of a plateau.
  double learning_rate(int64_t step, double scale) const;
  void reschedule() { schedule_ = make_schedule(options_); }  // the options' warm-up has changed
  // Of the gradient of what is trained, before clipping; the rest of the gradient becomes zero.
  double gradient_norm(Context& cx, Communicator& communicator);
  // norm: as gradient_norm gave it. Values and moments of what is frozen are not touched.
  void update(Context& cx, int64_t step, double scale, double norm);

  Tensor first_moments() const { return first_; }  // of the slice
  Tensor second_moments() const { return second_; }
  void forget_moments();                                     // no update follows: their memory is the system's
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

// a <- decay_t a + (1 - decay_t) values after every update, of parameters and of running statistics (which are those of
// the weights that they were taken with). decay_t = min(decay, (1 + t) / (10 + t)), as f32 has it: the first updates do
// not weigh as if they were many. With decay 0 it takes no memory and does nothing.
class MovingAverage {
 public:
  // parts: what changes; the rest is the values' own. slice: of the slabs, what is averaged here; without it all.
  MovingAverage(model::Parameters& parameters, const std::vector<Part>& parts, double decay,
                const std::optional<Slice>& slice = {});

  explicit operator bool() const { return decay_ > 0; }
  Tensor slab() const { return slab_; }        // of the slice; nothing with decay 0
  Tensor buffers() const { return buffers_; }  // nor where the model has none
  void start();                                // from the values as they are
  void start_statistics();                     // the same of the running statistics alone
  void update(Context& cx, int64_t step);
  // Values and average of the slice change places; called again, they are back to the bit.
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

// The model is the averaged one while this lives. With several processes all of them make one at the same time.
class UseAverage {
 public:
  UseAverage(MovingAverage& average, model::Parameters& parameters, Communicator& communicator)
      : average_(average), parameters_(parameters), communicator_(communicator), errors_(std::uncaught_exceptions()) {
    average_.swap();
    complete();
  }
  // A validation that is stopped leaves the weights as they were, for the checkpoint that follows. After an error this
  // process ends, and the others with it: they do not answer.
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
