#pragma once
#include <vector>

#include "base/options/given_option.h"
#include "hexapla/options.h"

namespace hexapla::api {

// UsageError: an option is given in both spellings.
std::vector<GivenOption> given_options(const Options& options);

// Descriptions of options with their present values as defaults.
std::vector<OptionDescription> described(const OptionRows& rows);

}  // namespace hexapla::api
