#pragma once
// Options of decoding from what was given by name: in words, as a file has them (train/options/resolve.h reads one), or
// as a JSON object. Options: DecodingOptions, or RequestOptions where the rest is not the request's to decide.
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "base/options/given_option.h"
#include "decode/decoding_options.h"

namespace hexapla::decode {

// The given options, on top of those of `usual` that do something beside them. UsageError naming option, value and what
// is allowed, and a file's line: no such option (with the nearest one), a value out of its range, an option that can do
// nothing beside the others.
template <class Options>
Options read_options(std::vector<GivenOption> given, Options usual = {});

// {"beam_size": 4, "length_penalty": 1.0}; "beam-size" is the same. UsageError, too, where it is no object or a value
// has another type.
template <class Options>
Options read_options(const nlohmann::json& object, Options usual = {});

}  // namespace hexapla::decode
