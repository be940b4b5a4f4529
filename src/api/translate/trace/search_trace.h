#pragma once
// Traces beam search for the public API.
#include "decode/opened/open_model.h"
#include "hexapla/search_trace.h"

namespace hexapla::api {

// The search for the translation of a line of at most `longest` tokens. UsageError: decode::check_traceable(), a
// coverage penalty, inspect::read_source().
SearchTrace traced(const decode::OpenModel& model, const std::string& line, const decode::TranslateOptions& how,
                   size_t longest);

}  // namespace hexapla::api
