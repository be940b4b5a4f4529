#include "serve/work/waiting_lines.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "serve/http/message.h"

namespace hexapla::serve {

std::shared_ptr<void> WaitingLines::enter(std::size_t lines) {
  std::unique_lock lock(mutex_);
  if (lines > most_)
    throw HttpError(413, cat("the request has ", lines, " lines, but this server takes at most ", most_, " at a time"));
  if (lines_ + lines > most_) {
    const double seconds = std::clamp(std::ceil(static_cast<double>(lines_) * seconds_per_line_), 1.0, 60.0);
    throw HttpError(503, "the server is busy; try again in a while", {{"Retry-After", cat(static_cast<int>(seconds))}});
  }
  if (lines_ == 0) last_ = Clock::now();
  lines_ += lines;
  lock.unlock();  // without memory for the place, it leaves at once
  return {this, [this, lines](void*) { leave(lines); }};
}

void WaitingLines::leave(std::size_t lines) {
  const std::lock_guard lock(mutex_);
  lines_ -= lines;
  const auto now = Clock::now();
  if (lines > 0) {
    const double each = std::chrono::duration<double>(now - last_).count() / static_cast<double>(lines);
    seconds_per_line_ += 0.1 * (each - seconds_per_line_);
  }
  last_ = now;
  if (lines_ == 0) left_.notify_all();
}

std::size_t WaitingLines::now() const {
  const std::lock_guard lock(mutex_);
  return lines_;
}

void WaitingLines::wait_until_empty() const {
  std::unique_lock lock(mutex_);
  left_.wait(lock, [&] { return lines_ == 0; });
}

}  // namespace hexapla::serve
