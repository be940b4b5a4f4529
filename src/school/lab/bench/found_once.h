#pragma once
// Measurements are cached on disk.
#include <functional>
#include <string>

#include "base/error.h"
#include "base/json.h"

namespace hexapla::lab {

// Returns the result of `measure` (never null) from FOLDER/result.json if it has the same settings;
// otherwise empties the folder, measures and stores. DataError: the file cannot be read.
nlohmann::json found_once(const std::string& folder, const nlohmann::json& settings,
                          const std::function<nlohmann::json()>& measure);
DataError unreadable(const std::string& folder, const std::string& why);  // for that file

}  // namespace hexapla::lab
