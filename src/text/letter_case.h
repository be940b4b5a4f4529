#pragma once
// Upper and lower case in all scripts that have them.
#include <string>
#include <string_view>

namespace hexapla::text {

// The text with a lower-case first letter capitalized, if it has a capital.
std::string capitalized(std::string_view text);

}  // namespace hexapla::text
