#pragma once
// A beam search, step by step, for eyes.
#include <string>

#include "decode/trace/beam_trace.h"

namespace hexapla::report {

// For the terminal: the live hypotheses of each step, its candidates with probability and score, and what became of
// each. Pieces are printable.
std::string trace_text(const decode::Trace& trace, const text::Vocabulary& target, int beam_size);

// The same as an image, a whole SVG document: a column for each step, a box for each candidate, and a line from the
// hypothesis that it extends. The box's tooltip has the numbers.
std::string trace_svg(const decode::Trace& trace, const text::Vocabulary& target, int beam_size);

}  // namespace hexapla::report
