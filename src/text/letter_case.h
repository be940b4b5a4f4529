#pragma once
// Capital and small letters, of all scripts that have them.
#include <string>
#include <string_view>

namespace hexapla::text {

// The text with a capital at its start, where it begins with a small letter that has one.
std::string capitalized(std::string_view text);

}  // namespace hexapla::text
