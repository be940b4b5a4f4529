#pragma once
#include <condition_variable>
#include <mutex>
#include <thread>

namespace hexapla {

// Adds up the time between looks at a clock. A gap of more than kLongest seconds between two looks
// is not counted: the process was stopped.
class WatchedTime {
 public:
  static constexpr double kLongest = 1;
  explicit WatchedTime(double now) : last_(now) {}
  // Returns the seconds counted until `now`.
  double look(double now);

 private:
  double last_, sum_ = 0;
};

// Seconds that this process has run since the clock was made: steady time without the periods in
// which the whole process was stopped (SIGSTOP, Ctrl-Z, a frozen container). A thread looks at the
// clock five times a second, so every stop of more than a second is noticed. Time while the machine
// sleeps does not count either: the steady clock stops then.
class RunningClock {
 public:
  RunningClock();
  double seconds() const;

 private:
  mutable std::mutex mutex_;
  mutable WatchedTime time_;
  std::condition_variable_any end_;
  std::jthread looker_;  // last member: its thread ends before the others are destroyed
};

}  // namespace hexapla
