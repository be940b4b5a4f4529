#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ios>
#include <iostream>

#include "cli/run.h"

namespace {

// Idle OpenMP threads spin for milliseconds unless the environment forbids it at startup. On cores
// shared with other programs that made training up to ten times slower; a thousand spins cost less
// than waking a thread (docs/adr/0005). Continues unchanged if the program cannot re-execute
// itself.
void start_with_resting_threads(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return;
  if (setenv("OMP_WAIT_POLICY", "passive", 0) == 0 && setenv("GOMP_SPINCOUNT", "1000", 0) == 0)
    execv("/proc/self/exe", argv);
}

// Keeps the next opened file from taking the place of a closed standard stream (<&-). Reading or
// writing that stream still fails.
void keep_closed_streams_closed() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
  keep_closed_streams_closed();
  start_with_resting_threads(argv);
  std::signal(SIGPIPE, SIG_IGN);  // if the reader (head) exits, writing fails instead of ending a training
  std::ios::sync_with_stdio(false);
  return hexapla::cli::run(argc, argv);
}
