#pragma once
// Work of other people's code that may end the process, done where that costs only a child of it.
#include <functional>
#include <optional>
#include <string>

namespace hexapla {

struct ChildResult {
  std::optional<std::string> value;  // what the work returned; none: it ended without
  std::string end;                   // then why: "had too little memory", "was killed by signal 9"
};

// work(), computed in a child, which has all that this process has in memory. What it throws comes out as RunError with
// its text, if it is not for lack of memory. Canceled, and the child is gone: where the caller's work is no longer
// wanted (base/system/cancellation.h). Where no child can be had (and under ThreadSanitizer, which does not know
// threads in one) the work is done right here.
ChildResult in_child_process(const std::function<std::string()>& work);

}  // namespace hexapla
