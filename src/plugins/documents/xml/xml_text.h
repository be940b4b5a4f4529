#pragma once
// Escapes text for XML and HTML.
#include <string>
#include <string_view>

namespace hexapla::text::document {

// Escapes text for HTML: & < > become references.
std::string with_entities(std::string_view text);
// The same for XML; characters that XML cannot represent (controls, invalid UTF-8) become U+FFFD.
std::string xml_text(std::string_view text);
// Escapes the value of an attribute, without its quotes.
std::string xml_attribute(std::string_view text);

}  // namespace hexapla::text::document
