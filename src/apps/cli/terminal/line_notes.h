#pragma once
// Shows notes on input lines while they are answered.
#include <fmt/format.h>

#include <utility>

#include "cli/terminal/terminal.h"

namespace hexapla::cli {

// Shows the first hundred and counts the others: a file in the wrong language has one per line.
class LineNotes {
 public:
  explicit LineNotes(Progress& progress) : progress_(progress) {}

  // line: from 0.
  void add(int64_t line, const std::string& what) { add(fmt::format("line {}", line + 1), what); }
  void add(const std::string& where, const std::string& what) {
    if (++count_ <= kMost) progress_.say(fmt::format("{}: {}", where, what));
  }
  void finish() {
    const int64_t more = std::exchange(count_, 0) - kMost;
    if (more > 0) progress_.say(text::counted(more, "more note like these", "more notes like these"));
  }

 private:
  static constexpr int64_t kMost = 100;
  Progress& progress_;
  int64_t count_ = 0;
};

}  // namespace hexapla::cli
