#pragma once
// Search options as keys of generation_config.json.
#include <string>
#include <vector>

#include "base/json.h"
#include "decode/options/named/decoding_options.h"
#include "model/weights/model_file.h"

namespace hexapla::convert {

// "num_beams", "length_penalty", "max_length" and the like; a rule that is off has no key. counted:
// the tokens that their max_length includes and `longest` does not: the start token, and </s> if
// forced. Adds notes on recorded values that no key can express.
nlohmann::ordered_json search_settings(const model::LoadedModel& m, const decode::DecodingOptions& search,
                                       int64_t counted, std::vector<std::string>& notes);

// All keys that search_settings() may write, and their synonyms.
const std::vector<std::string>& search_keys();

}  // namespace hexapla::convert
