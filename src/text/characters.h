#pragma once
// The characters of a text, and what they are.
#include <cstddef>
#include <string_view>
#include <vector>

namespace hexapla::text {

// By the general categories of Unicode: L, M, and everything else (digits, punctuation, symbols, blanks, bytes outside
// of valid UTF-8).
enum class CharacterKind { letter, mark, other };

struct Character {
  size_t from, to;  // bytes from .. to - 1 of the text
  CharacterKind kind;
  bool operator==(const Character&) const = default;
};

// One a code point, or a byte that no valid sequence has.
std::vector<Character> characters_of(std::string_view text);

}  // namespace hexapla::text
