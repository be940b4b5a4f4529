#pragma once
#include "cli/command/command.h"

namespace hexapla::cli {

void add_bench_ops(Command& bench, Action& chosen);

}  // namespace hexapla::cli
