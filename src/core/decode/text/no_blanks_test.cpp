// Text in scripts without spaces between words: constraints, alignments and scores by character.
#include <gmock/gmock.h>

#include <numeric>

#include "decode/constraints/phrases.h"
#include "decode/test_text.h"
#include "decode/text/text_scorer.h"
#include "text/utf8.h"

namespace hexapla::decode {
namespace {
using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Strings = std::vector<std::string>;

Strings lines_of(const Strings& words, int n, uint64_t seed) {
  Random random(seed);
  Strings lines(n);
  for (std::string& line : lines) {
    for (uint32_t i = 0, length = 2 + random.below(6); i < length; ++i)
      line += words[random.below(static_cast<uint32_t>(words.size()))];
    if (random.below(2) == 0) line += "。";
  }
  return lines;
}
Strings chinese(int n, uint64_t seed) {
  return lines_of({"我们", "北京", "上海", "去", "在", "喜欢", "公园", "狗", "ok", "跑"}, n, seed);
}

class NoBlanks : public testing::Test {
 protected:
  NoBlanks() { m_.set_bias(v_.eos(), -2); }
  static model::Config config_of(const text::Vocabulary& v) {
    model::Config c = small_config();
    c.source_vocab = c.target_vocab = v.size();
    c.tied = "none";
    return c;
  }
  Strings translated(const Strings& lines) {
    Strings texts;
    for (const auto& t : translator_.translate(lines, options_, warnings_.sink())) texts.push_back(t.at(0).text);
    return texts;
  }
  text::Vocabulary v_ = text::Vocabulary::train(chinese(400, 1), {.size = 60});
  TestModel m_{config_of(v_)};
  std::unique_ptr<Backend> backend_ = m_.on_backend();
  TextTranslator translator_{m_.model, v_, v_, *backend_};
  TextScorer scorer_{m_.model, v_, v_, *backend_};
  TranslateOptions options_{.search = {.extra_length = 8}};
  Warnings warnings_;
};

int with(const Strings& texts, const std::string& phrase) {
  return static_cast<int>(
      std::count_if(texts.begin(), texts.end(), [&](const auto& t) { return t.find(phrase) != std::string::npos; }));
}

TEST_F(NoBlanks, ForbiddenPhrasesAreRefusedAtTheTokenThatEndsThem) {
  const Strings lines = chinese(80, 5);
  for (const int64_t beam : {1, 4}) {
    options_.search.beam_size = static_cast<int>(beam);
    options_.everywhere = {};
    const Strings free = translated(lines);
    int tried = 0;
    for (const char* phrase : {"北京", "上海", "我们", "喜欢", "公园", "去", "狗", "跑", "。"}) {
      if (with(free, phrase) <= 5) continue;  // this model hardly uses it
      ++tried;
      options_.everywhere.forbid = {phrase};
      EXPECT_EQ(with(translated(lines), phrase), 0) << phrase;
    }
    EXPECT_GT(tried, 1) << "the test shows little";
  }
  EXPECT_THAT(warnings_.all, testing::IsEmpty()) << "a search ran into a dead end";
}

TEST_F(NoBlanks, RequiredPhrasesAreInEveryTranslation) {
  const Strings lines = chinese(80, 6);
  for (const char* phrase : {"北京", "喜欢狗", "公园。"}) {
    options_.everywhere.require = {phrase};
    EXPECT_EQ(with(translated(lines), phrase), 80) << phrase;
  }
}

TEST(PhrasesWithoutBlanks, EndWithWholeCharactersAndAtAnOpenEnd) {
  const auto forbidden = [](const char* text, const char* phrase) {
    return must_not_stand_in({phrase, {}}, text, Ending::open);
  };
  const auto has = [](const char* text, const char* phrase) { return stands_in({phrase, {}}, text); };
  EXPECT_TRUE(forbidden("我在北京", "北京")) << "whatever follows";
  EXPECT_TRUE(forbidden("Was?", "?"));
  EXPECT_FALSE(forbidden("ein Hund", "Hund")) << "it may become a Hundehaus";
  EXPECT_TRUE(has("ฉันกินข้าว", "กิน"));
  EXPECT_FALSE(has("กิน", "ก")) << "a vowel above belongs to its consonant";
  EXPECT_FALSE(has("か\u3099く", "か"));
}

TEST_F(NoBlanks, CharactersAreAligned) {
  const Strings from = chinese(30, 7), to = chinese(30, 8);
  bool several = false;
  for (size_t i = 0; i < from.size(); ++i) {
    const SoftAlignment a =
        scorer_.align(Strings{from[i]}, Strings{to[i]}, options_, {{1, 0}, AlignmentUnit::words})[0];
    ASSERT_EQ(a.columns, std::ssize(text::words(from[i])) + 1);
    ASSERT_EQ(a.rows, std::ssize(text::words(to[i])) + 1);
    for (int64_t t = 0; t < a.rows; ++t) {
      double sum = 0;
      for (int64_t s = 0; s < a.columns; ++s) sum += a.at(t, s);
      EXPECT_NEAR(sum, 1, 1e-9) << to[i];
    }
    const auto tokens = text::words_of_tokens(from[i], v_.encode_with_spans(from[i]).spans);
    for (const data::Link& link : hard_links(a))
      for (const text::WordSpan& piece : tokens)
        if (piece.first <= link.source && link.source <= piece.last && piece.count() > 1) {
          several = true;
          for (int32_t s = piece.first; s <= piece.last; ++s)
            EXPECT_THAT(hard_links(a), testing::Contains(data::Link{s, link.target})) << "the whole piece is linked";
        }
  }
  EXPECT_TRUE(several) << "the test shows little";
}

TEST_F(NoBlanks, TextThatIsCutIntoWordsIsAlignedByThem) {
  const Strings from{"我们 去 北京"}, to{"狗 在 公园 跑 。"};
  const SoftAlignment a = scorer_.align(from, to, options_, {{1, 0}, AlignmentUnit::blanks})[0];
  EXPECT_EQ(a.columns, 4);
  EXPECT_EQ(a.rows, 6);
}

TEST_F(NoBlanks, ScoresOfCharactersAddUp) {
  const Strings from = chinese(20, 4), to = chinese(20, 5);
  const auto scores = scorer_.score(from, to, options_);
  for (size_t i = 0; i < scores.size(); ++i) {
    EXPECT_EQ(scores[i].words.size(), text::words(to[i]).size() + 1);
    EXPECT_NEAR(std::accumulate(scores[i].words.begin(), scores[i].words.end(), 0.0), scores[i].score, 1e-9);
  }
}

// Source tokens with two characters and with one, and </s>; a target token with two characters, and
// </s>.
TEST(Alignment, TokensOfSeveralWordsShareTheirWeight) {
  const SoftAlignment tokens{2, 3, {.6, .3, .1, .2, .2, .6}};
  const std::vector<text::WordSpan> from{text::WordSpan(0, 1), text::WordSpan(2)}, to{text::WordSpan(0, 1)};
  const SoftAlignment a = merge(tokens, {from, 3}, {to, 2});
  EXPECT_THAT(a.weights, ElementsAre(.3, .3, .3, .1, .3, .3, .3, .1, .1, .1, .2, .6));
  EXPECT_EQ(data::pharaoh(hard_links(a)), "0-0 1-0 0-1 1-1") << "both characters of the piece that has most";
}

}  // namespace
}  // namespace hexapla::decode
