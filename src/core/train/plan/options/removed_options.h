#pragma once
// Options of earlier versions. Config files and records of their runs may still name them.
#include "base/options/given_option.h"

namespace hexapla::train {

// Did an earlier version have this option, in either spelling? Then this value of it had no effect and can be left
// out. UsageError naming place, option and value: the value had an effect.
bool was_removed(const GivenOption& option);

// Why the option of this name was removed and what to do, the end of a sentence; "" if no earlier version had it.
std::string why_removed(const std::string& name);

}  // namespace hexapla::train
