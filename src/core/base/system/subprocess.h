#pragma once
// Runs another program to its end, without a shell: arguments are passed as they are.
#include <string>
#include <vector>

namespace hexapla {

struct Subprocess {
  std::vector<std::string> words;  // the program (a path or a name on PATH) and its arguments
  std::string errors;              // file for its stderr
  double seconds = 0;              // time limit, after which it and its children are killed; 0: none
};

struct SubprocessResult {
  std::string out;      // the last 64 KiB of its stdout
  std::string problem;  // "ended with exit code 3", "took more than 10 minutes"; "" if it succeeded
};

// The path of the program. UsageError naming `option` if there is no such executable.
std::string find_program(const std::string& name, const std::string& option);

// Runs it with empty stdin, in its own process group, which Ctrl-C does not reach. If canceled
// (base/system/cancellation.h), kills the group and throws Canceled.
SubprocessResult run_to_end(const Subprocess& program);

}  // namespace hexapla
