#pragma once
// The normalization rules of a SentencePiece model (precompiled_charsmap): which bytes of a text become which.
#include <string>
#include <string_view>

namespace hexapla::text {

// SentencePiece follows these rules without a look at where they lead. What is wrong with them, or "" for rules that it
// can follow on any text: every step of the trie stays inside, no path is longer than 256 bytes or passes more than 32
// ends of rules (it has room for so many), and every rule ends in UTF-8 of at most 255 bytes. Bytes: the size of the
// trie (4, little endian), a double array as darts-clone builds it, and the replacements, each with a NUL behind it.
std::string fault_of_charsmap(std::string_view blob);

}  // namespace hexapla::text
