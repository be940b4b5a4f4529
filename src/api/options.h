#pragma once
#include <vector>

#include "base/options/given_option.h"
#include "hexapla/options.h"

namespace hexapla::api {

// UsageError: one that is given under both spellings.
std::vector<GivenOption> given_options(const Options& options);

}  // namespace hexapla::api
