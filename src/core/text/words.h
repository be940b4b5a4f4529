#pragma once
// Words as defined by tools that align or count them: separated by (ASCII) white space. In scripts
// without blanks between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese), no rule finds words,
// so every character with its marks is a word, and so is every full-width punctuation mark; text of
// other scripts between them is not split: 我 在 hexapla 里 , five words.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace hexapla::text {

// The place of a piece in a text: bytes from .. to - 1, possibly none.
struct TokenSpan {
  size_t from, to;
  bool operator==(const TokenSpan&) const = default;
};

// Where words end: by script, as above; or only at white space, for text already split into words.
enum class WordEnds { by_script, at_blanks };
std::vector<std::string_view> words(std::string_view text, WordEnds ends = WordEnds::by_script);

// The words (from 0) that a piece overlaps; several only if words are adjacent without white space.
struct WordSpan {
  int32_t first, last;
  WordSpan(int32_t only) : first(only), last(only) {}
  WordSpan(int32_t from, int32_t to) : first(from), last(to) {}
  int32_t count() const { return last - first + 1; }
  bool operator==(const WordSpan&) const = default;
};
// For each piece, the words from its first byte that is not white space to the next white space;
// without such a byte, the following word, or the last one. All 0 if the text has no word.
std::vector<WordSpan> words_of_tokens(std::string_view text, std::span<const TokenSpan> tokens,
                                      WordEnds ends = WordEnds::by_script);

}  // namespace hexapla::text
