#pragma once
// Traces beam search for the public API.
#include "decode/opened/open_model.h"
#include "hexapla/search_trace.h"

namespace hexapla::api {

// UsageError: decode::check_traceable(), or a coverage penalty.
void check_traceable(const decode::TranslateOptions& how);
// The search for the translation of a line of at most `longest` tokens. UsageError: check_traceable(),
// inspect::read_source().
SearchTrace traced(const decode::OpenModel& model, const std::string& line, const decode::TranslateOptions& how,
                   size_t longest);

}  // namespace hexapla::api
