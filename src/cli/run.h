#pragma once

namespace hexapla::cli {

// Parses and runs: the exit code of the process. Errors go to stderr as one message that says what to do next.
// 0 done; 1 run time, 2 usage, 3 data or model file; 130 and 143: stopped by SIGINT or SIGTERM after saving.
int run(int argc, const char* const* argv);

}  // namespace hexapla::cli
