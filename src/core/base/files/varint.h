#pragma once
// Variable-length integers: seven bits per byte, lowest first; the high bit says that more bytes
// follow.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hexapla {

inline void put_varint(std::string& to, uint64_t value) {
  for (; value >= 128; value >>= 7) to.push_back(static_cast<char>(value | 128));
  to.push_back(static_cast<char>(value));
}

// Removes the number at the start of `from` and returns it. InternalError: it is cut short or
// longer than 64 bits.
inline uint64_t take_varint(std::string_view& from) {
  uint64_t value = 0;
  for (size_t i = 0; i < from.size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>(from[i]);
    value |= uint64_t{byte & 127u} << (7 * i);
    if (byte < 128) {
      from.remove_prefix(i + 1);
      return value;
    }
  }
  fail(cat("a packed number is cut short, with ", from.size(), " bytes left"));
}

}  // namespace hexapla
