#pragma once
// A SentencePiece model's normalization rules (precompiled_charsmap), which replace byte sequences.
#include <string>
#include <string_view>

namespace hexapla::text {

// SentencePiece follows these rules without checks. Returns the error in them, or "" for rules that
// are safe for any text: every step of the trie stays inside, no path is longer than 256 bytes or
// passes more than 32 rule ends (SentencePiece's limit), and every replacement is UTF-8 of at most
// 255 bytes. Format: the trie's size in bytes (4 bytes, little endian), the trie, a double array
// built by darts-clone, and the replacements, each terminated by NUL.
std::string fault_of_charsmap(std::string_view blob);

}  // namespace hexapla::text
