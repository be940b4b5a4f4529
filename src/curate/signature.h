#pragma once
// What of a line tells whether another line may be its translation, in four bytes, so that those of a whole corpus fit
// into memory: length, numbers, punctuation, capitals.
#include <cstdint>
#include <string_view>

namespace hexapla::curate {

struct LineSignature {
  uint8_t length = 0;    // in characters, four steps an octave, 0 to kLengths - 1
  uint8_t numbers = 0;   // 0: no digits; else a hash of the digits in their order
  uint8_t marks = 0;     // which of the eight kinds of marks occur
  uint8_t capitals = 0;  // words with a capital behind the first word, 0 to 3
};
constexpr int kLengths = 48;

LineSignature signature_of(std::string_view line);

}  // namespace hexapla::curate
