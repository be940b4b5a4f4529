#pragma once
// Lets a user change one field of a model's usage record (model/record/usage.h).
#include <string>

#include "model/config.h"
#include "model/record/usage.h"

namespace hexapla::decode {

// name: a search option ("beam-size"), alignment-layer or alignment-head; value: as for the option,
// "" for none. UsageError naming name and value: unknown field, or a value invalid for models of
// this configuration.
void change_usage(model::Usage& usage, const std::string& name, const std::string& value, const model::Config& config);

}  // namespace hexapla::decode
