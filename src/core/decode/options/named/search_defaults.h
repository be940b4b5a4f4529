#pragma once
// Default search options from a model's file: an imported model translates as in its original
// system (docs/adr/0018-the-model-file.md).
#include <functional>
#include <string>

#include "decode/options/named/decoding_options.h"
#include "model/record/usage.h"

namespace hexapla::decode {

// UsageError: an unknown search option in the record, or a value out of range.
void check_search(const model::Usage& usage);

// The model's default search. DataError: damaged record.
DecodingOptions recorded_search(const model::Usage& usage);

// Sets the options that the record contains, that were not given, and that have an effect with the
// given ones. DataError: damaged record.
void take_search_defaults(const model::Usage& usage, const std::function<bool(const std::string& option)>& given,
                          DecodingOptions& options);

// Sets all of the record's options, whether they have an effect or not: options read later, such as
// a wider beam, may give them one, and read_options() removes the others. DataError: damaged
// record.
void take_record(const model::Usage& usage, DecodingOptions& options);

}  // namespace hexapla::decode
