#pragma once
// A beam search step by step, as the public face shows it.
#include "decode/trace/beam_trace.h"
#include "hexapla/inspector.h"

namespace hexapla::api {

// source: with </s>.
SearchTrace public_trace(const decode::Trace& trace, const std::vector<std::string>& source,
                         const text::Vocabulary& target, int beam_size);

}  // namespace hexapla::api
