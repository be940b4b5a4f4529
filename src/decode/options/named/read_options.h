#pragma once
// Reads decoding options that were given by name: in words, as in a file (train/plan/resolve/resolve.h
// reads one), or as a JSON object. Options: DecodingOptions, or RequestOptions for those that a
// request may set.
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "base/options/given_option.h"
#include "decode/options/named/decoding_options.h"

namespace hexapla::decode {

// The given options, on top of those of `usual` that have an effect with them. UsageError naming
// option, value and what is allowed, and a file's line: unknown option (with the nearest name),
// value out of range, or an option without effect.
template <class Options>
Options read_options(std::vector<GivenOption> given, Options usual = {});

// {"beam_size": 4, "length_penalty": 1.0}; "beam-size" is the same. UsageError also if it is not an
// object or a value has the wrong type.
template <class Options>
Options read_options(const nlohmann::json& object, Options usual = {});

}  // namespace hexapla::decode
