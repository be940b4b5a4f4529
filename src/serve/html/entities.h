#pragma once
// Characters that HTML writes with an ampersand.
#include <string>
#include <string_view>

namespace hexapla::serve {

// "&lt;", "&#8217;", "&x2019;" and the names of HTML 4 for Latin letters and marks become the characters; what is no
// reference, or one with another name, stays as it is.
std::string without_entities(std::string_view html);

// The text so that HTML shows it: & < > become references.
std::string with_entities(std::string_view text);

}  // namespace hexapla::serve
