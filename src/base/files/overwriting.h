#pragma once
#include <string>
#include <vector>

namespace hexapla {

// UsageError naming the option where its file is one of those that are read, or lies in a folder that is read
// (a checkpoint).
void refuse_to_overwrite(const std::vector<std::string>& inputs, const std::string& option, const std::string& output);

}  // namespace hexapla
