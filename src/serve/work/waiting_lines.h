#pragma once
// How many lines are on their way through the models: beyond a limit requests are sent away before they take memory.
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>

namespace hexapla::serve {

class WaitingLines {
 public:
  explicit WaitingLines(std::size_t most) : most_(most) {}

  // So many lines have a place until the returned object goes. HttpError 413: more than there are places at all; 503
  // with Retry-After, which follows from how fast places became free lately.
  std::shared_ptr<void> enter(std::size_t lines);
  std::size_t now() const;
  void wait_until_empty() const;

 private:
  using Clock = std::chrono::steady_clock;
  void leave(std::size_t lines);

  const std::size_t most_;
  mutable std::mutex mutex_;
  mutable std::condition_variable left_;
  std::size_t lines_ = 0;
  double seconds_per_line_ = 0;  // while some wait; a moving average
  Clock::time_point last_;
};

}  // namespace hexapla::serve
