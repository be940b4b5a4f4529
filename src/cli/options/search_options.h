#pragma once
#include <string>

#include "backend/cpu/cpu.h"
#include "cli/command.h"
#include "decode/decoding_options.h"

namespace hexapla::cli {

// "f32", "bf16" or "int8"; UsageError where this processor has no instructions for it.
Precision parse_decoding_precision(const std::string& name);

void bind_options(Command& command, decode::ScoringOptions& options);
void bind_options(Command& command, decode::BeamOptions& options);
void bind_n_best(Command& command, decode::BeamOptions& options);
void bind_options(Command& command, decode::SampleOptions& options);  // after those of a beam, which exclude them

}  // namespace hexapla::cli
