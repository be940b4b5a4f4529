#pragma once
// Adam and the learning rate, section 5.3.
#include <algorithm>
#include <cmath>

#include "model/parameters.h"
#include "train/options.h"

namespace hexapla {

// lr(step) = peak * min(step / warmup, sqrt(warmup / step)): linear warm-up, then inverse square root. The paper's
// d_model^-0.5 * min(step^-0.5, step * warmup^-1.5) is this with peak = (d_model * warmup)^-0.5.
struct Schedule {
  double peak;
  int64_t warmup;

  static Schedule paper(int64_t d_model, int64_t warmup) {
    return {1 / std::sqrt(static_cast<double>(d_model) * static_cast<double>(warmup)), warmup};
  }
  double operator()(int64_t step) const {
    const double s = static_cast<double>(step), w = static_cast<double>(warmup);
    return peak * std::min(s / w, std::sqrt(w / s));
  }
};

inline Schedule make_schedule(const TrainOptions& o) {
  return o.lr > 0 ? Schedule{o.lr, o.warmup} : Schedule::paper(o.architecture.d_model, o.warmup);
}

// One loop over four slabs: values, gradients, first and second moments.
class Optimizer {
 public:
  Optimizer(Parameters& parameters, const TrainOptions& options)
      : parameters_(parameters),
        options_(options),
        schedule_(make_schedule(options)),
        first_(parameters.slab_like_values()),
        second_(parameters.slab_like_values()) {}

  double learning_rate(int64_t step) const { return schedule_(step); }
  // step: 1 at the first update; norm: of the whole gradient, before clipping.
  void update(Backend& backend, int64_t step, double norm) {
    const double limit = options_.clip_norm;
    backend.adam(parameters_.values(), parameters_.gradients(), first_, second_,
                 {.lr = schedule_(step),
                  .beta1 = options_.beta1,
                  .beta2 = options_.beta2,
                  .eps = options_.adam_eps,
                  .step = step,
                  .grad_scale = limit > 0 && norm > limit ? limit / norm : 1});
  }
  Tensor first_moments() const { return first_; }
  Tensor second_moments() const { return second_; }

 private:
  Parameters& parameters_;
  const TrainOptions& options_;
  Schedule schedule_;
  Tensor first_, second_;
};

}  // namespace hexapla
