#pragma once
// Another program, run to its end without a shell: its arguments are what they are, whatever is in them.
#include <string>
#include <vector>

namespace hexapla {

struct Subprocess {
  std::vector<std::string> words;  // the program, a path or a name on PATH, and its arguments
  std::string errors;              // file that its stderr goes to
  double seconds = 0;              // that it may take, then it and what it has started are killed; 0: no limit
};

struct SubprocessResult {
  std::string out;      // the last 64 KiB of its stdout
  std::string problem;  // "ended with exit code 3", "took more than 10 minutes"; "" where it ended with exit code 0
};

// Where the program lies. UsageError naming `option` where there is none that may be run.
std::string find_program(const std::string& name, const std::string& option);

// Its stdin is empty, and it is a process group of its own: Ctrl-C does not reach it. Canceled, and the group is gone:
// where the caller's work is no longer wanted (base/system/cancellation.h).
SubprocessResult run_to_end(const Subprocess& program);

}  // namespace hexapla
