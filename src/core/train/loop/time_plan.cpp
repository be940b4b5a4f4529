#include "train/loop/time_plan.h"

#include <algorithm>
#include <cmath>

#include "base/system/running_clock.h"
#include "train/cluster/agreement.h"

namespace hexapla::train {
namespace {

// Guesses, not measured: `tiny` uses a quarter of its updates as warm-up.
constexpr double kLargestWarmup = 0.25;
constexpr double kShareOfValidations = 0.1;  // of the time, with checkpoints; a guess that affects only the warm-up

constexpr int64_t kMostProbes = 8;
constexpr double kShareOfProbes = 0.01;

// The first update includes memory allocation, so it counts only if there is no other.
double seconds_of_an_update(Learner& learner, cluster::Processes& processes, double limit) {
  const RunningClock clock;
  double began = clock.seconds(), first = 0, seconds = 0;
  for (int64_t made = 0; made < kMostProbes; ++made) {
    learner.accumulate_gradient(learner.stream().draw(), 1);
    const double now = clock.seconds();
    if (made == 0)
      first = now - began, began = now;
    else
      seconds = (now - began) / static_cast<double>(made);
    const bool enough = first + seconds * static_cast<double>(made) > limit;
    if (cluster::of_first(processes, int64_t{enough})) break;
  }
  return seconds > 0 ? seconds : first;
}

}  // namespace

int64_t warmup_within(int64_t asked, double updates) {
  return std::clamp<int64_t>(std::llround(kLargestWarmup * updates), 1, asked);
}

std::string warning_of_warmup(const TrainOptions& o, int64_t updates_an_epoch) {
  int64_t end = o.warmup;
  if (o.max_updates > 0) end = std::min(end, o.max_updates);
  if (o.max_epochs > 0) end = std::min(end, o.max_epochs * updates_an_epoch);
  if (end >= o.warmup) return "";
  return cat("the run ends at update ", end, ", while its learning rate still rises (`warmup` ", o.warmup,
             "): lower `warmup` to ", warmup_within(o.warmup, static_cast<double>(end)), " or so to learn more");
}

double updates_within_limits(Learner& learner, const TrainOptions& o, cluster::Processes& processes,
                             int64_t updates_an_epoch) {
  const double limit = o.max_minutes * 60;
  const double seconds = std::max(seconds_of_an_update(learner, processes, kShareOfProbes * limit), 1e-9);
  double updates = limit * (1 - kShareOfValidations) / seconds;
  if (o.max_updates > 0) updates = std::min(updates, static_cast<double>(o.max_updates));
  if (o.max_epochs > 0) updates = std::min(updates, static_cast<double>(o.max_epochs * updates_an_epoch));
  return updates;
}

Cooldown cooldown_from(const TrainOptions& o, const RunState& state, double time_passed) {
  if (decays(o) || state.cooldown || time_passed < kCooldownBegins || state.update == 0) return {};
  return {state.update, std::llround(static_cast<double>(state.update) / time_passed)};
}

std::string forget_early_cooldown(RunState& state, bool early) {
  if (!early || !state.cooldown) return "";
  const std::string what =
      cat("update ", state.update, ": the limit of time has changed, so the learning rate, which fell ",
          "since update ", state.cooldown.from, ", is as high as before");
  state.changed += cat(state.changed.empty() ? "" : "; ", what);
  state.cooldown = {};
  return what;
}

std::string take_warmup(RunState& state, TrainOptions& o) {
  if (state.asked_warmup != o.warmup || state.warmup == o.warmup) state.asked_warmup = state.warmup = 0;
  if (state.warmup == 0) return "";
  o.warmup = state.warmup;
  return cat("`warmup` is ", state.warmup, " instead of ", state.asked_warmup, ": a quarter of the updates that ",
             "`max-minutes` ", o.max_minutes, " allow");
}

}  // namespace hexapla::train
