#include "base/hash.h"

#include <xxhash.h>

namespace hexapla {

std::string hash_hex(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  std::string hex;
  for (const unsigned char byte : canonical.digest) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

uint64_t hash_64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace hexapla
