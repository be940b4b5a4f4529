#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ios>
#include <iostream>

#include "cli/run.h"

namespace {

// The runtime of the compute threads spins for milliseconds while it waits, unless the environment says otherwise
// before it starts. On cores that other programs use too that made training up to ten times slower; a thousand looks
// are cheaper than waking a thread (docs/adr/0005). If the program cannot start itself again it goes on as it is.
void start_with_resting_threads(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return;
  if (setenv("OMP_WAIT_POLICY", "passive", 0) == 0 && setenv("GOMP_SPINCOUNT", "1000", 0) == 0)
    execv("/proc/self/exe", argv);
}

// A standard stream that is closed (<&-) must not become whatever file is opened next. Reading or writing it fails as
// before.
void keep_closed_streams_closed() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
  keep_closed_streams_closed();
  start_with_resting_threads(argv);
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away (head) is a failed write, not the end of a training
  std::ios::sync_with_stdio(false);
  return hexapla::cli::run(argc, argv);
}
