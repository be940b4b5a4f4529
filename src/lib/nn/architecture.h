#pragma once
#include "hexapla/options.h"
#include "model/config.h"

namespace hexapla::api {

// The paper's base model with the given options applied, resolved. UsageError: an unknown option,
// or a value out of range.
model::Config architecture(const Options& options);

}  // namespace hexapla::api
