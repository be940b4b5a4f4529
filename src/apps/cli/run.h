#pragma once

namespace hexapla::cli {

// Parses and runs -> the exit code of the process: 0 done; 1 run-time, 2 usage, 3 data or model
// file error; 130 and 143: stopped by SIGINT or SIGTERM after saving. An error is one message on
// stderr that names the remedy.
int run(int argc, const char* const* argv);

}  // namespace hexapla::cli
