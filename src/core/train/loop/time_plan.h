#pragma once
// Runs with a time limit: which warm-up fits, and when the cooldown begins.
#include "train/loop/learner.h"
#include "train/plan/options/schedule.h"
#include "train/record/run_state.h"

namespace hexapla::train {

// The requested warm-up or a quarter of the possible updates, whichever is shorter; at least 1.
int64_t warmup_within(int64_t asked, double updates);

// Warning, with a remedy, if `max-updates` or `max-epochs` cut the warm-up short; "" otherwise.
std::string warning_of_warmup(const TrainOptions& options, int64_t updates_an_epoch);

// Estimates how many updates fit into `max-minutes` and the run's other limits by computing a few
// and discarding them: at least one, then for up to a hundredth of the time, at most eight. All
// processes must call it together, before weights are initialized. updates_an_epoch: the
// same in all processes.
double updates_within_limits(Learner& learner, const TrainOptions& options, cluster::Processes& processes,
                             int64_t updates_an_epoch);

// If the last quarter of the time has begun: a cooldown from this update to the one at which time
// will be up at the speed so far.
Cooldown cooldown_from(const TrainOptions& options, const RunState& state, double time_passed);

// The cooldown begins after this share of the time.
constexpr double kCooldownBegins = 0.75;

// Removes a cooldown that had begun before a limit was raised or dropped. -> a note; "" if none
std::string forget_early_cooldown(RunState& state, bool early);

// Replaces the options' warm-up by the fitting one in the state, unless the user now requests
// another. -> a note; "" if none
std::string take_warmup(RunState& state, TrainOptions& options);

}  // namespace hexapla::train
