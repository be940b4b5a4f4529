#pragma once
#include "hexapla/options.h"
#include "model/config.h"

namespace hexapla::api {

// The paper's base model but for the options that are given, resolved. UsageError: no such option, a value out of its
// range.
model::Config architecture(const Options& options);

}  // namespace hexapla::api
