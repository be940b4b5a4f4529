#pragma once
#include <string>
#include <vector>

#include "model/record/usage.h"

namespace hexapla::api {

// Writes a copy of a model with other usage defaults. changes: "NAME=VALUE", the options of
// decode::change_usage(); "NAME=" removes one. -> the new record. UsageError: a malformed or
// repeated change; otherwise as decode::change_usage().
model::Usage set_usage(const std::string& model, const std::vector<std::string>& changes, const std::string& output);

}  // namespace hexapla::api
