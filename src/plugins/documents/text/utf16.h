#pragma once
// UTF-16 files with a byte order mark, as some programs save them.
#include <string>
#include <string_view>

namespace hexapla::text::document {

// Whether a byte order mark announces UTF-16 (or UTF-32, which from_utf16() rejects).
bool is_utf16(std::string_view content);
// Converts to UTF-8, including the mark. DataError with the byte offset: an unpaired surrogate or
// an incomplete unit; or the content is UTF-32.
std::string from_utf16(std::string_view content);
// Converts UTF-8 to UTF-16, including the byte order mark. little: little-endian. Bytes that are
// not valid UTF-8 become U+FFFD.
std::string to_utf16(std::string_view text, bool little);

}  // namespace hexapla::text::document
