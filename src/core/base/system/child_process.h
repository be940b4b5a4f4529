#pragma once
// Runs third-party code that may end the process in a child process.
#include <functional>
#include <optional>
#include <string>

namespace hexapla {

struct ChildResult {
  std::optional<std::string> value;  // the result of the work; none: it ended without one
  std::string end;                   // the reason then: "had too little memory", "was killed by signal 9"
};

// Runs work() in a forked child, which has a copy of this process's memory. An exception becomes a
// RunError with its text, except for lack of memory, which is reported in `end`. If canceled
// (base/system/cancellation.h), kills the child and throws Canceled. If no child can be started
// (and under ThreadSanitizer, which does not support threads in one), runs the work in this
// process.
ChildResult in_child_process(const std::function<std::string()>& work);

}  // namespace hexapla
