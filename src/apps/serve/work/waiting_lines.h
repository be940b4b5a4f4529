#pragma once
// Limits the lines in flight: requests beyond it are rejected before they take memory.
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>

namespace hexapla::serve {

class WaitingLines {
 public:
  explicit WaitingLines(std::size_t most) : most_(most) {}

  // Reserves places for N lines until the returned object is destroyed. HttpError 413: more lines
  // than there are places; 503 with a Retry-After computed from how fast places became free
  // recently.
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
  double seconds_per_line_ = 0;  // while lines are in flight; a moving average
  Clock::time_point last_;
};

}  // namespace hexapla::serve
