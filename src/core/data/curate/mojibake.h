#pragma once
// UTF-8 misread as Latin-1 or Windows-1252 and encoded again: "MÃ¤dchen", "ä¸\u00ADæ–‡".
#include <cstddef>
#include <string_view>

namespace hexapla::data {

// The byte of `line` (valid UTF-8) with sufficient evidence; npos: none. Characters are converted
// to their Windows-1252 bytes, which are then read as UTF-8. Combinations in good text, such as an
// accented letter before closing quotes, a dash or a no-break space, are not sufficient.
size_t mojibake_in(std::string_view line);

}  // namespace hexapla::data
