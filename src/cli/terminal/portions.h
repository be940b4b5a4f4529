#pragma once
// `translate` and `score` share this: lines are read one by one and answered in portions. Somebody who has
// written a line may be waiting for its answer, so a portion is what can be read without waiting; where that is much,
// it is as much as makes good batches.
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "base/error.h"

namespace hexapla::cli {

class Portions {
 public:
  static constexpr size_t kLines = 2000, kBytes = size_t{16} << 20;  // longer portions sort better into batches

  // answer() is called where something has been read since it was called last.
  explicit Portions(std::function<void()> answer) : answer_(std::move(answer)) {}

  // To be called before the reader waits, too.
  void answer() {
    if (lines_ == 0) return;
    lines_ = bytes_ = 0;
    answer_();
  }

  // read() keeps one more line or pair and gives its bytes, or nothing after the last. What came before a line that
  // is wrong, or that cannot be read, is answered before the error.
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
  size_t lines_ = 0, bytes_ = 0;  // read and not answered
};

// Thrown by an answer that nobody reads any more (head): the command ends.
struct OutputGone {};

}  // namespace hexapla::cli
