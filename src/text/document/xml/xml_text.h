#pragma once
// Text as XML and HTML write it.
#include <string>
#include <string_view>

namespace hexapla::text::document {

// The text so that HTML shows it: & < > become references.
std::string with_entities(std::string_view text);
// The same for XML, where characters that it cannot write (controls, bytes that are no UTF-8) become U+FFFD.
std::string xml_text(std::string_view text);
// As the value of an attribute, without its quotes.
std::string xml_attribute(std::string_view text);

}  // namespace hexapla::text::document
