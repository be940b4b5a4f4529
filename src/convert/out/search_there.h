#pragma once
// The search that an exported model is given, in the words of systems that divide a score by length^alpha.
#include <string>
#include <vector>

#include "decode/models/search_defaults.h"
#include "model/weights/model_file.h"

namespace hexapla::convert {

// What a model's own record says of how to search with it, otherwise the defaults of any model.
inline decode::BeamOptions own_search(const model::LoadedModel& m) { return decode::recorded_search(m.usage); }

// The same search where scores are divided by length^alpha. The paper's formula becomes the power that grows alike at
// sentences of kUsualLength tokens; a note says so.
inline constexpr double kUsualLength = 15;
decode::BeamOptions in_powers_of_length(const decode::BeamOptions& search, std::vector<std::string>& notes);

// model's own, with their values.
std::string same_search_here(const decode::BeamOptions& there);

}  // namespace hexapla::convert
