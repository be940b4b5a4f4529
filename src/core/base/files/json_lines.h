#pragma once
// Logs: a JSON object on each line.
#include <string>
#include <vector>

#include "base/json.h"

namespace hexapla {

// The objects of a file; none if it does not exist. Lines that are no object are skipped: the last one may still be
// written. RunError as read_file().
std::vector<nlohmann::json> json_lines(const std::string& path);

// NaN if the object has no such number.
double number_in(const nlohmann::json& object, const char* key);

}  // namespace hexapla
