#pragma once
// The learning rate as a function of the step, which is 1 at the first update. Siblings: all rise
// linearly during `warmup` steps and reach `peak` at the last of them; they differ afterwards.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "train/plan/options/options.h"

namespace hexapla::train {

// peak * sqrt(warmup / step). With peak = (d_model * warmup)^-0.5 this is the paper's d_model^-0.5
// * min(step^-0.5, step * warmup^-1.5), section 5.3.
struct InverseSquareRoot {
  double peak;
  int64_t warmup;
  double after(double step) const { return peak * std::sqrt(static_cast<double>(warmup) / step); }
};

// Linear from peak to `least` at step `end`, then constant.
struct LinearDecay {
  double peak;
  int64_t warmup, end;
  double least;
  double after(double step) const;
};

// Half a cosine period from peak to `least` at step `end`, then constant (Loshchilov and Hutter
// 2017, without restarts).
struct CosineDecay {
  double peak;
  int64_t warmup, end;
  double least;
  double after(double step) const;
};

// Constant peak; with `schedule` plateau the run lowers it (Plateau, below).
struct ConstantRate {
  double peak;
  int64_t warmup;
  double after(double /*step*/) const { return peak; }
};

using Schedule = std::variant<InverseSquareRoot, LinearDecay, CosineDecay, ConstantRate>;

// Learning rate at a step, 1 or more.
double learning_rate(const Schedule& schedule, int64_t step);

// The peak: `lr`, or the paper's factor * (d_model * warmup)^-0.5.
double peak_learning_rate(const TrainOptions& options);
// UsageError: the schedule needs an end or validations that the options do not give.
Schedule make_schedule(const TrainOptions& options);
// The step at which a decay or a cooldown ends: `decay-updates`, else `max-updates`.
int64_t end_of_decay(const TrainOptions& options);
// Does the learning rate depend on end_of_decay()?
bool decays(const TrainOptions& options);

// At the end of a run the learning rate falls linearly toward 0, which it would reach one update
// after `end`. At any point of a schedule, small steps at the end gain what large ones cannot
// (docs/adr/0011).
struct Cooldown {
  int64_t from = 0, end = 0;  // updates; the first smaller step is from + 1. end 0: no cooldown

  explicit operator bool() const { return end > 0; }
  // Factor of the learning rate at a step, 1 or more.
  double at(int64_t step) const {
    if (end == 0 || step <= from) return 1;
    return step > end ? 0 : static_cast<double>(end + 1 - step) / static_cast<double>(end + 1 - from);
  }
};
// The cooldown that `cooldown` asks for; a time limit makes its own (train/loop/time_plan.h).
Cooldown given_cooldown(const TrainOptions& options);

// State of `schedule` plateau: a factor that shrinks when validations stop improving.
struct Plateau {
  double scale = 1;
  int64_t stalled = 0;  // validations since the best one or the last reduction

  // After each validation; shrinks after `patience` validations in a row without a new best.
  void validated(bool better, int64_t patience, double factor) {
    stalled = better ? 0 : stalled + 1;
    if (stalled < patience) return;
    stalled = 0;
    scale *= factor;
  }
};

}  // namespace hexapla::train
