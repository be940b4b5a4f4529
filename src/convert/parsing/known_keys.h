#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::convert {

// An unknown key of a settings file may change what its model computes. DataError naming file and
// key: one of `keys` is not among those that are known, as read or as harmless.
void refuse_unknown_keys(const std::string& file, const std::vector<std::string>& keys,
                         const std::vector<std::string_view>& known);

}  // namespace hexapla::convert
