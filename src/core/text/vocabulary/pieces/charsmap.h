#pragma once
// A SentencePiece model's normalization rules (precompiled_charsmap), which replace byte sequences.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::text {

// SentencePiece follows these rules without checks. Returns the error in them, or "" for rules that
// are safe for any text: every step of the trie stays inside, no path is longer than 256 bytes or
// passes more than 32 rule ends (SentencePiece's limit), and every replacement is UTF-8 of at most
// 255 bytes. Format: the trie's size in bytes (4 bytes, little endian), the trie, a double array
// built by darts-clone, and the replacements, each terminated by NUL.
std::string fault_of_charsmap(std::string_view blob);

// A text and, for each of its bytes and its end, the byte of another text that it comes from.
struct AlignedText {
  std::string text;
  std::vector<size_t> at;

  static AlignedText of(std::string_view text);  // of itself
  AlignedText part(size_t from, size_t to) const;
};

// The text with the longest matching rule applied at each place. blob: without a fault.
AlignedText with_charsmap(std::string_view blob, const AlignedText& from);

}  // namespace hexapla::text
