#pragma once
// The learning rate as a function of the step, which is 1 at the first update. Siblings: all rise linearly to `peak`
// during `warmup` steps and reach it at the last of them; they differ in what comes then.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "train/options/options.h"

namespace hexapla::train {

// peak * sqrt(warmup / step). The paper's d_model^-0.5 * min(step^-0.5, step * warmup^-1.5), section 5.3, is this with
// peak = (d_model * warmup)^-0.5.
struct InverseSquareRoot {
  double peak;
  int64_t warmup;
  double after(double step) const { return peak * std::sqrt(static_cast<double>(warmup) / step); }
};

// A straight line from peak to `least` at step `end`; `least` from there on.
struct LinearDecay {
  double peak;
  int64_t warmup, end;
  double least;
  double after(double step) const;
};

// Half a wave of a cosine from peak to `least` at step `end`; `least` from there on (Loshchilov and Hutter 2017,
// without restarts).
struct CosineDecay {
  double peak;
  int64_t warmup, end;
  double least;
  double after(double step) const;
};

// The peak; with `schedule` plateau the run lowers it (Plateau, below).
struct ConstantRate {
  double peak;
  int64_t warmup;
  double after(double /*step*/) const { return peak; }
};

using Schedule = std::variant<InverseSquareRoot, LinearDecay, CosineDecay, ConstantRate>;

// The learning rate of a step, 1 or more.
double learning_rate(const Schedule& schedule, int64_t step);

// Where the rise ends: `lr`, or factor * (d_model * warmup)^-0.5, the paper's.
double peak_learning_rate(const TrainOptions& options);
// UsageError: a schedule that needs an end or validations, and the options give none.
Schedule make_schedule(const TrainOptions& options);
// The step at which a decay or a cooldown ends: `decay-updates`, else `max-updates`.
int64_t end_of_decay(const TrainOptions& options);
// Does the learning rate depend on that step?
bool decays(const TrainOptions& options);

// The end of a run: the learning rate falls in a straight line to 0, which it would reach one update after `end`.
// Wherever the schedule stands, small steps at the end gain what large ones cannot (docs/adr/0087).
struct Cooldown {
  int64_t from = 0, end = 0;  // updates; the first smaller step is from + 1. end 0: there is none

  explicit operator bool() const { return end > 0; }
  // The factor of the learning rate of a step, 1 or more.
  double at(int64_t step) const {
    if (end == 0 || step <= from) return 1;
    return step > end ? 0 : static_cast<double>(end + 1 - step) / static_cast<double>(end + 1 - from);
  }
};
// That of `cooldown`; a limit of time makes its own (train/loop/time_plan.h).
Cooldown given_cooldown(const TrainOptions& options);

// What `schedule` plateau does to the learning rate: a factor that shrinks when validations stop getting better.
struct Plateau {
  double scale = 1;
  int64_t stalled = 0;  // validations since the best one or the last reduction

  // After a validation. It is reduced when `patience` validations in a row were not better than the best so far.
  void validated(bool better, int64_t patience, double factor) {
    stalled = better ? 0 : stalled + 1;
    if (stalled < patience) return;
    stalled = 0;
    scale *= factor;
  }
};

}  // namespace hexapla::train
