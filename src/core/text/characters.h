#pragma once
// The characters of a text and their kinds.
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hexapla::text {

// By Unicode's general categories: L, M, and everything else (digits, punctuation, symbols, blanks,
// invalid UTF-8 bytes).
enum class CharacterKind { letter, mark, other };

struct Character {
  size_t from, to;  // bytes from .. to - 1 of the text
  CharacterKind kind;
  bool operator==(const Character&) const = default;
};

// One per code point, and one per invalid byte.
std::vector<Character> characters_of(std::string_view text);

// The character that begins at byte `at`, and its length; U+FFFD and 1 for an invalid byte.
std::pair<char32_t, size_t> code_point_at(std::string_view text, size_t at);

bool has_letter(std::string_view text);

// The text in a form for comparison that ignores case, width and other compatible forms (NFKC,
// case-folded, without invisible characters), with one blank for each run of white space between
// words: "STRASSE" for "Straße". Requires valid UTF-8.
std::string folded(std::string_view text);

// The part common to different spellings of a sentence: letters, marks, digits and symbols outside
// ASCII, in Unicode's compatibility form (NFKC), case-folded ("Maße" equals "MASSE"). Omits blanks
// of every kind, punctuation and invisible characters.
std::string essence(std::string_view text);

}  // namespace hexapla::text
