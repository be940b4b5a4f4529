#pragma once
#include <string>
#include <vector>

namespace hexapla {

// UsageError naming the option if `output` is one of the inputs, or lies directly in an input
// folder (a checkpoint).
void refuse_to_overwrite(const std::vector<std::string>& inputs, const std::string& option, const std::string& output);

}  // namespace hexapla
