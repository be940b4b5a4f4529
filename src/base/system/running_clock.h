#pragma once
#include <condition_variable>
#include <mutex>
#include <thread>

namespace hexapla {

// Seconds added up from looks at a clock. Two looks that are further apart than `longest` seconds mean that nobody
// could look in between: that stretch does not count.
class WatchedTime {
 public:
  static constexpr double longest = 1;
  explicit WatchedTime(double now) : last_(now) {}
  // -> all that has counted until `now`, in seconds.
  double look(double now);

 private:
  double last_, sum_ = 0;
};

// For how many seconds this process has run since the clock was made: steady time without the stretches in which it was
// stopped as a whole (SIGSTOP, Ctrl-Z, a frozen container). A thread looks at the time five times a second, so a stop
// of more than a second is noticed wherever it falls. Time in which the machine sleeps does not count either: the
// steady clock stands still then.
class RunningClock {
 public:
  RunningClock();
  double seconds() const;

 private:
  mutable std::mutex mutex_;
  mutable WatchedTime time_;
  std::condition_variable_any end_;
  std::jthread looker_;  // last: it ends before what it looks at goes
};

}  // namespace hexapla
