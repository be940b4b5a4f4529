#pragma once
#include <string>
#include <vector>

#include "model/record/usage.h"

namespace hexapla::api {

// Writes a copy of a model with other defaults for its use. changes: "NAME=VALUE", the options of
// decode::change_usage(); "NAME=" removes one. -> the new record. UsageError: a change that is none, or given twice, or
// as decode::change_usage().
model::Usage set_usage(const std::string& model, const std::vector<std::string>& changes, const std::string& output);

}  // namespace hexapla::api
