#pragma once
// A search as the keys of generation_config.json.
#include <string>
#include <vector>

#include "base/json.h"
#include "decode/decoding_options.h"
#include "model/weights/model_file.h"

namespace hexapla::convert {

// "num_beams", "length_penalty", "max_length" and the like; a rule that is off has no key. counted: the tokens that
// max_length counts there and `longest` does not, the start of a translation and </s> where it is forced. Notes: values
// of the model's record that no key stands for.
nlohmann::ordered_json search_settings(const model::LoadedModel& m, const decode::BeamOptions& search, int64_t counted,
                                       std::vector<std::string>& notes);

// Every key that search_settings() may write, and those that say the same in other words.
const std::vector<std::string>& search_keys();

}  // namespace hexapla::convert
