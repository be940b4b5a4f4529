#pragma once
// Reads lines one by one and answers them in portions, for `score`. Because whoever
// wrote a line may be waiting for its answer, a portion is as much as can be read without waiting,
// limited to what makes good batches.
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "base/error.h"

namespace hexapla::api {

class Portions {
 public:
  static constexpr size_t kLines = 2000, kBytes = size_t{16} << 20;  // longer portions sort better into batches

  // answer is called only if something has been read since its last call.
  explicit Portions(std::function<void()> answer) : answer_(std::move(answer)) {}

  // Call it also before the reader waits.
  void answer() {
    if (lines_ == 0) return;
    lines_ = bytes_ = 0;
    answer_();
  }

  // read() stores one more line or pair and returns its bytes, or nothing after the last. Lines
  // before an invalid or unreadable one are answered before the error is thrown.
  void read_all(const std::function<std::optional<size_t>()>& read) {
    try {
      while (const auto bytes = read()) {
        ++lines_, bytes_ += *bytes;
        if (lines_ >= kLines || bytes_ >= kBytes) answer();
      }
    } catch (const UserError&) {
      answer();
      throw;
    }
    answer();
  }

 private:
  std::function<void()> answer_;
  size_t lines_ = 0, bytes_ = 0;  // read but not answered
};

// Thrown if the reader of the output has exited (head): ends the command.
struct OutputGone {};

}  // namespace hexapla::api
