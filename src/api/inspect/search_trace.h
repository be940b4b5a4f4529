#pragma once
// Converts a beam search trace to the public API's types.
#include "decode/trace/beam_trace.h"
#include "hexapla/inspector.h"

namespace hexapla::api {

// source: pieces including </s>.
SearchTrace public_trace(const decode::Trace& trace, const std::vector<std::string>& source,
                         const text::Vocabulary& target, int beam_size);

}  // namespace hexapla::api
