#pragma once
// The encoding of a text that is not UTF-8: a guess from its bytes, good enough for advice.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::text {

struct Encoding {
  enum class Kind {
    utf8,
    damaged,    // UTF-8 but for a few bytes: converting the text would spoil the rest
    nul,        // UTF-8 but for NUL bytes
    known,      // `name` is what iconv calls it
    other,      // of Latin letters, but none of those known here
    non_latin,  // of another script: GB18030, Big5, Shift_JIS, KOI8-R, ...
  };
  Kind kind = Kind::utf8;
  std::string name;
  int64_t bad_lines = 0;             // damaged: how many lines are,
  std::vector<int64_t> first_lines;  // and the first of them, counted from 1; none for one line alone
};

// `bytes`: the beginning of a text, or one line; the more, the better.
Encoding encoding_of(std::string_view bytes);

// Advice on it, a clause: "it looks like WINDOWS-1252: convert it with: iconv -f WINDOWS-1252 -t UTF-8".
// before, after: the parts of the command that give it the text and take the result.
std::string advice(const Encoding& encoding, const std::string& before = "", const std::string& after = "");

}  // namespace hexapla::text
