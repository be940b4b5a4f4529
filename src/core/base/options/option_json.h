#pragma once
// Options in records, and their schema.
#include <nlohmann/json_fwd.hpp>

#include "base/options/option_row.h"

namespace hexapla {

// The value, as a record holds it.
nlohmann::ordered_json json_of(const OptionRow& row);
// Sets the option to a recorded value. UsageError: a word that it cannot hold, or a number that is not whole or does
// not fit. nlohmann's type_error: another type.
void set_recorded(const OptionRow& row, const nlohmann::json& value);

// The JSON Schema of an option: type, range or choices, and help.
nlohmann::ordered_json json_schema_of(const OptionRow& row);

}  // namespace hexapla
