#pragma once
// Shows notes on input lines while they are answered.
#include <fmt/format.h>

#include "cli/terminal/terminal.h"

namespace hexapla::cli {

// Shows the first hundred and counts the others: a file in the wrong language has one per line.
class LineNotes {
 public:
  explicit LineNotes(Progress& progress) : progress_(progress) {}

  // line: from 0.
  void add(int64_t line, const std::string& what) { add(fmt::format("line {}", line + 1), what); }
  void add(const std::string& where, const std::string& what) {
    if (++count_ <= most) progress_.say(fmt::format("{}: {}", where, what));
  }
  // Says how many more there were, and starts again.
  void finish() {
    if (count_ > most) progress_.say(text::counted(count_ - most, "more note like these", "more notes like these"));
    count_ = 0;
  }

 private:
  static constexpr int64_t most = 100;
  Progress& progress_;
  int64_t count_ = 0;
};

}  // namespace hexapla::cli
