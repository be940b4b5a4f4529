#pragma once
#include <vector>

#include "base/options/given_option.h"
#include "decode/options/named/decoding_options.h"

namespace hexapla::decode {

// The given options, in words, on top of those of `usual` that have an effect with them. UsageError naming option,
// value and what is allowed, and a file's line: unknown option (with the nearest name), value out of range, or an
// option without effect.
DecodingOptions read_options(std::vector<GivenOption> given, DecodingOptions usual = {});

}  // namespace hexapla::decode
