#pragma once
// The search options of an exported model, for systems that divide scores by length^alpha.
#include <string>
#include <vector>

#include "decode/options/named/search_defaults.h"
#include "model/weights/model_file.h"

namespace hexapla::convert {

// The search recorded in the model, or the defaults.
inline decode::DecodingOptions own_search(const model::LoadedModel& m) { return decode::recorded_search(m.usage); }

// The same search with scores divided by length^alpha. The paper's formula becomes the power with
// the same growth at kUsualLength tokens; a note says so.
inline constexpr double kUsualLength = 15;
decode::DecodingOptions in_powers_of_length(const decode::DecodingOptions& search, std::vector<std::string>& notes);

// A note with the options that make our search the same as `there`, the exported one.
std::string same_search_here(const decode::DecodingOptions& there);

}  // namespace hexapla::convert
