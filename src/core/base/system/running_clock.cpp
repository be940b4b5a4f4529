#include "base/system/running_clock.h"

#include <chrono>

namespace hexapla {
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

double WatchedTime::look(double now) {
  const double stretch = now - last_;
  last_ = now;
  if (stretch <= kLongest) sum_ += stretch;
  return sum_;
}

RunningClock::RunningClock()
    : time_(steady_seconds()), looker_([this](const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (!end_.wait_for(lock, stop, std::chrono::milliseconds(200), [&] { return stop.stop_requested(); }))
          time_.look(steady_seconds());
      }) {}

double RunningClock::seconds() const {
  const std::lock_guard lock(mutex_);
  return time_.look(steady_seconds());
}

}  // namespace hexapla
