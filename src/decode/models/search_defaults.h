#pragma once
// How a model is searched with unless a user says otherwise, where its file says so: an imported model translates as it
// did where it comes from (docs/adr/0061-defaults-of-a-model.md).
#include <functional>
#include <map>
#include <string>

#include "decode/decoding_options.h"

namespace hexapla::decode {

// The key of a model's history that has them.
inline constexpr const char* kSearchDefaults = "search";

// What stands there, of options of BeamOptions by name, with values as users write them. UsageError: no such option, or
// a value out of its range.
std::string search_defaults(const std::map<std::string, std::string>& values);

// Sets the options for which the history has a value, that were not given, and that do something beside what was.
// DataError: it is damaged. Options: ScoringOptions, BeamOptions or DecodingOptions.
template <class Options>
void take_search_defaults(const std::map<std::string, std::string>& history,
                          const std::function<bool(const std::string& option)>& given, Options& options);

}  // namespace hexapla::decode
