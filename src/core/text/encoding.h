#pragma once
// The encoding of a text that is not UTF-8: a guess from its bytes, for advice.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::text {

struct Encoding {
  enum class Kind {
    utf8,
    damaged,    // UTF-8 with a few bad bytes: converting it would spoil the rest
    nul,        // UTF-8 with NUL bytes
    known,      // `name` is its name for iconv
    other,      // Latin letters in an unrecognized encoding
    non_latin,  // another script: GB18030, Big5, Shift_JIS, KOI8-R, ...
  };
  Kind kind = Kind::utf8;
  std::string name;
  int64_t bad_lines = 0;             // damaged: number of bad lines,
  std::vector<int64_t> first_lines;  // and the first of them, from 1; none for a single line
};

// `bytes`: the beginning of a text, or one line; more bytes are better.
Encoding encoding_of(std::string_view bytes);

// Advice as a clause: "it looks like WINDOWS-1252: convert it with: iconv -f WINDOWS-1252 -t
// UTF-8". before, after: parts of the command that supply the text and take the result.
std::string advice(const Encoding& encoding, const std::string& before = "", const std::string& after = "");

}  // namespace hexapla::text
