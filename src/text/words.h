#pragma once
// Words, as tools that align or count them have them. They stand between white space (ASCII). In scripts that write no
// blanks between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) no rule finds words, so that there every
// character is one, with the marks that belong to it, and every full-width mark; what other scripts write between two
// of them stays together: 我 在 hexapla 里 , five words.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace hexapla::text {

// Where a piece stands in a text: bytes from .. to - 1, perhaps none.
struct TokenSpan {
  size_t from, to;
  bool operator==(const TokenSpan&) const = default;
};

// Where words end: by the script, as above; or at white space alone, for text that is cut into words already.
enum class WordEnds { by_script, at_blanks };
std::vector<std::string_view> words(std::string_view text, WordEnds ends = WordEnds::by_script);

// The words (from 0) that a piece has part in. More than one only where words stand without white space between them.
struct WordSpan {
  int32_t first, last;
  WordSpan(int32_t only) : first(only), last(only) {}
  WordSpan(int32_t from, int32_t to) : first(from), last(to) {}
  int32_t count() const { return last - first + 1; }
  bool operator==(const WordSpan&) const = default;
};
// Of each piece: from that of its first byte that is not white space on, up to the next white space; where it has no
// such byte, the word that follows, or the last one. All 0 where the text has no word.
std::vector<WordSpan> words_of_tokens(std::string_view text, std::span<const TokenSpan> tokens,
                                      WordEnds ends = WordEnds::by_script);

}  // namespace hexapla::text
