#pragma once
// A beam search, shown step by step.
#include <string>

#include "decode/trace/beam_trace.h"

namespace hexapla::inspect {

// For the terminal: the live hypotheses of each step, and its candidates with probability, score
// and fate. Pieces are printable.
std::string trace_text(const decode::Trace& trace, const text::Vocabulary& target, int beam_size);

// The same as an SVG document: a column per step, a box per candidate, and a line from the
// hypothesis that it extends. The box's tooltip has the numbers.
std::string trace_svg(const decode::Trace& trace, const text::Vocabulary& target, int beam_size);

}  // namespace hexapla::inspect
