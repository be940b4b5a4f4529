#pragma once
#include <string>
#include <vector>

#include "model/record/usage.h"

namespace hexapla::api {

// Writes a copy of a model with other usage defaults. changes: "NAME=VALUE" of search options
// ("beam-size"), alignment-layer or alignment-head; "NAME=" removes one. -> the new record.
// UsageError: a malformed or repeated change, an unknown name, or a value invalid for the model.
model::Usage set_usage(const std::string& model, const std::vector<std::string>& changes, const std::string& output);

}  // namespace hexapla::api
