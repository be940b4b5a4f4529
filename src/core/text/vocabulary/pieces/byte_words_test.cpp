#include "text/vocabulary/pieces/byte_words.h"

#include <gmock/gmock.h>

namespace hexapla::text {
namespace {

using testing::ElementsAre;

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> all;
  for (const TokenSpan& word : byte_level_words(text)) all.push_back(text.substr(word.from, word.to - word.from));
  return all;
}

TEST(ByteWords, EveryByteIsACharacterThatComesBack) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(bytes_of_visible(visible_bytes(all)), all);
  EXPECT_EQ(visible_bytes(" \xC3\xA4\n"), "\u0120\u00C3\u00A4\u010A");
  EXPECT_FALSE(bytes_of_visible("a b"));
  EXPECT_FALSE(bytes_of_visible("\u4E00"));
  EXPECT_FALSE(bytes_of_visible("\xFF"));
}

// As in the regular expression.
TEST(ByteWords, WordsBeginWithTheirBlank) {
  EXPECT_THAT(words_of("it's  we'll 'tis DON'T"),
              ElementsAre("it", "'s", " ", " we", "'ll", " '", "tis", " DON", "'", "T"));
  EXPECT_THAT(words_of("a1\u0E512 \u00BD,x!?"), ElementsAre("a", "1\u0E512", " \u00BD", ",", "x", "!?"));
  EXPECT_THAT(words_of("a \t b \u00A0c\u3000d  "),
              ElementsAre("a", " \t", " b", " ", "\u00A0", "c", "\u3000", "d", "  "));
  EXPECT_THAT(words_of("\u0E2A\u0E31\u0E15"), ElementsAre("\u0E2A", "\u0E31", "\u0E15")) << "marks are no letters";
  EXPECT_THAT(words_of("a\xFF\x80z"), ElementsAre("a", "\xFF\x80", "z"));
  EXPECT_THAT(words_of(" "), ElementsAre(" "));
  EXPECT_THAT(words_of(""), ElementsAre());
}

TEST(ByteWords, WhiteSpace) {
  EXPECT_TRUE(is_white_space(" \t\u00A0\u2003\u3000"));
  EXPECT_FALSE(is_white_space("\u200B"));
  EXPECT_FALSE(is_white_space(" a"));
}

}  // namespace
}  // namespace hexapla::text
