#pragma once
// Features that show whether two lines may be translations: length, numbers, punctuation, capitals.
// Four bytes per line, so that those of a whole corpus fit in memory.
#include <cstdint>
#include <string_view>

namespace hexapla::data {

struct LineSignature {
  uint8_t length = 0;    // of characters, in quarters of an octave, 0 to kLengths - 1
  uint8_t numbers = 0;   // 0: no digits; otherwise a hash of the sequence of digits
  uint8_t marks = 0;     // set of the eight kinds of marks
  uint8_t capitals = 0;  // capitalized words after the first word, 0 to 3
};
constexpr int kLengths = 48;

LineSignature signature_of(std::string_view line);

}  // namespace hexapla::data
