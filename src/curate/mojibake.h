#pragma once
// UTF-8 that was read as Latin-1 or Windows-1252 and written again: "MÃ¤dchen", "ä¸\u00ADæ–‡".
#include <cstddef>
#include <string_view>

namespace hexapla::curate {

// The byte of `line` (valid UTF-8) at which the signs of it are enough; npos: nowhere. Characters are taken back to the
// bytes that they are in Windows-1252, and these read as UTF-8. What good text may have, an accented letter before
// closing quotes, a dash or a no-break space, is no sign by itself.
size_t mojibake_in(std::string_view line);

}  // namespace hexapla::curate
