#pragma once
// How a model is searched with unless a user says otherwise, where its file says so: an imported model translates as it
// did where it comes from (docs/adr/0061-defaults-of-a-model.md).
#include <functional>
#include <string>

#include "decode/decoding_options.h"
#include "model/record/usage.h"

namespace hexapla::decode {

// UsageError: an option of the record's search that there is not, or a value out of its range.
void check_search(const model::Usage& usage);

// How the model is searched where nobody says otherwise. DataError: its record is damaged.
BeamOptions recorded_search(const model::Usage& usage);

// Sets the options for which the record has a value, that were not given, and that do something beside what was.
// DataError: it is damaged. Options: ScoringOptions, BeamOptions or DecodingOptions.
template <class Options>
void take_search_defaults(const model::Usage& usage, const std::function<bool(const std::string& option)>& given,
                          Options& options);

// All of the record's values, whether they do something or not: options that follow may give them a use, as a wider
// beam does, and read_options() leaves out what has none then. DataError: it is damaged.
void take_record(const model::Usage& usage, DecodingOptions& options);

}  // namespace hexapla::decode
