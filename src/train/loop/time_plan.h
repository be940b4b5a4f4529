#pragma once
// A run that may train for so many minutes: which warm-up fits, and when its end begins.
#include "train/loop/learner.h"
#include "train/loop/schedule.h"
#include "train/run/run_state.h"

namespace hexapla::train {

// The asked warm-up or, where that is shorter, a quarter of the updates that the run can make; at least 1.
int64_t warmup_within(int64_t asked, double updates);

// "" or, where `max-updates` or `max-epochs` end a run before its warm-up does, what that means and what to do.
std::string warning_of_warmup(const TrainOptions& options, int64_t updates_an_epoch);

// How many updates fit into `max-minutes` and the other limits of the run, as far as some updates tell that are
// computed and thrown away: one, and more for a hundredth of the time, at most eight. All processes call it together,
// before the weights get their initial values. updates_an_epoch: as all processes make them.
double updates_within_limits(Learner& learner, const TrainOptions& options, cluster::Processes& processes,
                             int64_t updates_an_epoch);

// Does the last quarter of the time begin? Then the learning rate falls from this update on, until the one at which the
// time will be up if the run goes on as fast as it did.
Cooldown cooldown_from(const TrainOptions& options, const RunState& state, double time_passed);

// The share of the time after which the learning rate falls.
constexpr double cooldown_begins = 0.75;

// A limit that was raised, or left out, after the cooldown had begun: it has not begun any more. -> what to tell; ""
std::string forget_early_cooldown(RunState& state, bool early);

// The warm-up that the state has found to fit replaces that of the options, unless another one is asked for by now. ->
// what to tell; ""
std::string take_warmup(RunState& state, TrainOptions& options);

}  // namespace hexapla::train
