#pragma once
#include <string>
#include <string_view>

namespace hexapla {

// XXH3 with 128 bits, as 32 hexadecimal digits (what `xxhsum -H2` prints). It finds accidents, not forgeries.
std::string hash_hex(std::string_view bytes);

}  // namespace hexapla
