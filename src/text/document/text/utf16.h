#pragma once
// Files in UTF-16 with a byte order mark, as some programs save them.
#include <string>
#include <string_view>

namespace hexapla::text::document {

// Whether a byte order mark says that the content is UTF-16 (or UTF-32, which from_utf16() refuses).
bool is_utf16(std::string_view content);
// In UTF-8, with its mark. DataError naming the byte: half a pair of surrogates, or half a unit; or it is UTF-32.
std::string from_utf16(std::string_view content);
// UTF-16 for UTF-8, whose byte order mark becomes the one of UTF-16; little: the byte of lower value comes first. Bytes
// outside of valid UTF-8 become U+FFFD.
std::string to_utf16(std::string_view text, bool little);

}  // namespace hexapla::text::document
