#pragma once
// How a job reports to its caller. Every function is called on the caller's thread.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "base/compute/timing.h"

namespace hexapla::api {

struct JobProgress {
  int64_t done = 0;    // lines or pairs
  int64_t all = 0;     // 0: unknown
  double share = 0;    // of the input's bytes; 0: unknown
  double seconds = 0;  // since the first line or pair was read
  double per_second() const { return static_cast<double>(done) / seconds; }
};

struct JobWatch {
  // A line ("line 3") and what was done to it.
  std::function<void(const std::string& where, const std::string& what)> note = [](const auto&, const auto&) {};
  std::function<void(const std::string& text)> say = [](const auto&) {};  // a line for the user
  std::function<void(const JobProgress& progress)> progress = [](const auto&) {};
  std::function<void()> before_waiting = [] {};  // called before waiting for a pipe or a terminal
  const std::atomic<bool>* stop = nullptr;       // ends the job with Canceled once it is true
};

// Measures the time of a JobProgress.
class Stopwatch {
 public:
  double seconds() const { return seconds_since(start_); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace hexapla::api
