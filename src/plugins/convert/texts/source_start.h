#pragma once
#include "convert/foreign/foreign_model.h"

namespace hexapla::convert {

// Makes sources begin with the token that starts translations if the options, or by default the
// layout, say so. Neither tensors nor lists of tokens do: notes what is assumed. UsageError: the
// vocabulary lets nothing else begin with that token.
void start_sources(ForeignModel& m, const ImportOptions& options, bool usual);

}  // namespace hexapla::convert
