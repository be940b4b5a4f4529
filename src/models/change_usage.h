#pragma once
// One field of a model's record of how it is used (model/record/usage.h), as a user changes it.
#include <string>

#include "model/config.h"
#include "model/record/usage.h"

namespace hexapla::models {

// name: an option of a search ("beam-size"), alignment-layer or alignment-head; value: as the option takes it, "" for
// none. UsageError naming name and value: no such field, or a value that models of this configuration cannot have.
void change(model::Usage& usage, const std::string& name, const std::string& value, const model::Config& config);

}  // namespace hexapla::models
