#pragma once
// Traces beam search, and converts the trace to the public API's types.
#include "decode/opened/open_model.h"
#include "decode/trace/beam_trace.h"
#include "hexapla/inspector.h"
#include "inspect/text_pair.h"

namespace hexapla::api {

struct LineTrace {
  text::Ids source;  // as it was read
  decode::Trace trace;
};
// Traces the search for the translation of a line. Warns and throws as inspect::read_source() and
// decode::trace_search().
LineTrace trace_line(const decode::OpenModel& model, const std::string& line, const decode::SearchOptions& how,
                     const decode::LineWarning& warn, size_t longest = inspect::kLongest);

// The same for the public API, with the warnings. UsageError also: a coverage penalty.
SearchTrace traced(const decode::OpenModel& model, const std::string& line, const decode::TranslateOptions& how,
                   size_t longest);

// source: pieces including </s>.
SearchTrace public_trace(const decode::Trace& trace, const std::vector<std::string>& source,
                         const text::Vocabulary& target, int beam_size);

}  // namespace hexapla::api
