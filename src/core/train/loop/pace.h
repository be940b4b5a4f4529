#pragma once
// Speed and progress of a run.
#include "base/system/running_clock.h"
#include "train/feed/training_data.h"
#include "train/feed/update_batches.h"
#include "train/record/run_state.h"
#include "train/record/watch/watcher.h"

namespace hexapla::train {

class Pace {
 public:
  Pace(const TrainOptions& options, const RunState& state, const UpdateStream& stream)
      : options_(options), state_(state), stream_(stream) {}

  void start();                             // of this session
  void reported();                          // restarts the rate's interval, after a report or validation
  bool due_to_be_shown();                   // true a few times a second
  double seconds() const;                   // of the run, including earlier sessions
  double progress() const;                  // toward the nearest limit, 0 .. 1
  bool finished() const;                    // a limit is reached
  double time_passed() const;               // share of `max-minutes`, 0 .. 1; 0 without
  void fill_in(TrainReport& report) const;  // rate, progress and time left

 private:
  double since(double then) const { return clock_.seconds() - then; }

  const TrainOptions& options_;
  const RunState& state_;
  const UpdateStream& stream_;
  RunningClock clock_;
  double started_ = 0, reported_ = 0, shown_ = 0;  // on the clock
  int64_t reported_tokens_ = 0;
  double progress_at_start_ = 0;
};

}  // namespace hexapla::train
