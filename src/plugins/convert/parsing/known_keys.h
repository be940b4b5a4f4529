#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::convert {

// Rejects unknown keys of a settings file, which may change what its model computes. DataError
// naming file and key: one of `keys` is not in `known`, the keys that are read or harmless.
void refuse_unknown_keys(const std::string& file, const std::vector<std::string>& keys,
                         const std::vector<std::string_view>& known);

}  // namespace hexapla::convert
