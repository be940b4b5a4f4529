#pragma once
// What was measured is kept, and not measured again.
#include <functional>
#include <string>

#include "base/error.h"
#include "base/json.h"

namespace hexapla::lab {

// What `measure` finds (no null); kept in FOLDER/result.json, from where it comes the next time with the same settings.
// What was found with others is forgotten, and the folder is emptied. DataError: that file cannot be read.
nlohmann::json found_once(const std::string& folder, const nlohmann::json& settings,
                          const std::function<nlohmann::json()>& measure);
DataError unreadable(const std::string& folder, const std::string& why);  // that file

}  // namespace hexapla::lab
