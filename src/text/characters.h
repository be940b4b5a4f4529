#pragma once
// The characters of a text, and what they are.
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
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

// The character that begins at byte `at`, and its bytes; of one that no valid sequence has U+FFFD, and 1.
std::pair<char32_t, size_t> code_point_at(std::string_view text, size_t at);

bool has_letter(std::string_view text);

// The text as it is compared where case, width and other compatible forms do not matter (NFKC with case folded, without
// what is invisible), and with one blank for all white space between words: "STRASSE" for "Straße". Valid UTF-8.
std::string folded(std::string_view text);

// The part that two writings of one sentence share: letters, marks, digits and symbols other than ASCII, in the
// compatibility form of Unicode (NFKC), with case folded ("Maße" and "MASSE" are one). Blanks of every kind,
// punctuation and invisible characters are left out.
std::string essence(std::string_view text);

}  // namespace hexapla::text
