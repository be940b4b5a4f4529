#include "text/words.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::text {
namespace {
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Words, StandBetweenWhiteSpace) {
  EXPECT_THAT(words("  A dog\truns. \n"), ElementsAre("A", "dog", "runs."));
  EXPECT_THAT(words("\u00A0one"), ElementsAre("\u00A0one"));  // only ASCII white space
  EXPECT_THAT(words(" \t"), IsEmpty());
}

TEST(Words, OfScriptsWithoutBlanksAreCharacters) {
  EXPECT_THAT(words("我在 hexapla里,Bob。"), ElementsAre("我", "在", "hexapla", "里", ",Bob", "。"));
  EXPECT_THAT(words("你好，世界！"), ElementsAre("你", "好", "，", "世", "界", "！"));
  EXPECT_THAT(words("ﾃｽﾄをか\u3099"), ElementsAre("ﾃ", "ｽ", "ﾄ", "を", "か\u3099"));
  EXPECT_THAT(words("ที่นี่"), ElementsAre("ที่", "นี่")) << "with their vowels and tones";
  EXPECT_THAT(words("ក\u200Bខ"), ElementsAre("ក\u200B", "ខ")) << "a blank of no width is no word";
  EXPECT_THAT(words("\xE6\x88我\xFFx"), ElementsAre("\xE6\x88", "我", "\xFFx"))
      << "broken characters stay what they are";
}

TEST(Words, OfOtherScriptsStandBetweenWhiteSpaceAlone) {
  for (const char* text :
       {"Straße", "собака,", "कुत्ता।", "한국어입니다.", "“oui”…", "😀👩‍👩‍👧x", "x\u200By", "ＡＢＣ１２３"})
    EXPECT_THAT(words(text), ElementsAre(text));
}

TEST(Words, AtBlanksWhateverTheScript) {
  EXPECT_THAT(words("我们 去 北京。", WordEnds::at_blanks), ElementsAre("我们", "去", "北京。"));
  const std::vector<TokenSpan> tokens{{0, 6}, {6, 10}, {10, 20}};
  EXPECT_THAT(words_of_tokens("我们 去 北京。", tokens, WordEnds::at_blanks), ElementsAre(0, 1, 2));
}

TEST(Words, OfTokensThatCoverSeveral) {
  const std::string text = "我们去 北京ok";  // bytes 0 3 6, 10 13 16
  const std::vector<TokenSpan> tokens{{0, 6}, {6, 9}, {9, 16}, {16, 18}, {6, 16}};
  EXPECT_THAT(words_of_tokens(text, tokens),
              ElementsAre(WordSpan(0, 1), WordSpan(2), WordSpan(3, 4), WordSpan(5), WordSpan(2)))
      << "a piece goes no further than to white space";
}

TEST(Words, OfTokens) {
  const std::string text = " ab  cde f ";
  //                        0123456789
  const std::vector<TokenSpan> tokens{{0, 1}, {0, 2}, {2, 3}, {3, 5}, {4, 7}, {7, 8}, {8, 10}, {10, 11}, {11, 11}};
  EXPECT_THAT(words_of_tokens(text, tokens), ElementsAre(0, 0, 0, 1, 1, 1, 2, 2, 2));
  EXPECT_THAT(words_of_tokens(" ", std::vector<TokenSpan>{{0, 1}}), ElementsAre(0));
}

class TokensOfText : public testing::Test {
 protected:
  std::vector<std::string> lines_{"ein Hund läuft über die Straße", "zwei Katzen und ein Hund", "½ Katze … die Hunde",
                                  "ein\u00A0Hund", "Straßen über Straßen"};
  Vocabulary v_ = Vocabulary::train(lines_, {.size = 48});
};

// Reassembles each word from the spans of its tokens.
TEST_F(TokensOfText, CoverTheirWordsAndNoOther) {
  lines_.push_back("  Hunde   laufen ");
  lines_.push_back("ﬁne ＡＢＣ １２ x\u200Bx ¼");  // normalized to more or fewer, different characters
  for (const std::string& line : lines_) {
    const EncodedText tokens = v_.encode_with_spans(line);
    EXPECT_EQ(tokens.ids, v_.encode(line));
    const auto of = words_of_tokens(line, tokens.spans);
    const auto all = words(line);
    std::vector<bool> seen(all.size());
    for (size_t i = 0; i < of.size(); ++i) {
      const std::string_view word = all.at(of[i].first);
      const size_t from = word.data() - line.data(), to = from + word.size();
      EXPECT_LE(tokens.spans[i].to, to) << line << ", piece " << v_.piece(tokens.ids[i]);
      if (i > 0) {
        EXPECT_GE(of[i].first, of[i - 1].first);
      }
      seen[of[i].first] = true;
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), int64_t(all.size())) << line;
  }
}

TEST_F(TokensOfText, OfDecodedTextStandInIt) {
  for (const std::string& line : lines_) {
    const Ids ids = v_.encode(line);
    const std::string text = v_.decode(ids);
    const auto spans = v_.spans_in(ids);
    ASSERT_EQ(spans.size(), ids.size());
    const auto of = words_of_tokens(text, spans);
    // A piece with the word mark begins the next word, unless it consists only of that mark.
    int32_t word = -1;
    for (size_t i = 0; i < ids.size(); ++i) {
      word += v_.piece(ids[i]).starts_with("▁");
      EXPECT_EQ(of[i], word) << line << ", piece " << i << " " << v_.piece(ids[i]);
    }
  }
  EXPECT_THROW(v_.spans_in(std::vector<int32_t>{-1}), InternalError);
}

}  // namespace
}  // namespace hexapla::text
