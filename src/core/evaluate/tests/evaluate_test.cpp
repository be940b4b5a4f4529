#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/compute/parallel.h"
#include "base/compute/random.h"
#include "base/error.h"
#include "evaluate/metrics/bleu.h"
#include "evaluate/metrics/chrf.h"
#include "evaluate/metrics/make_metric.h"
#include "evaluate/metrics/ter.h"
#include "evaluate/tokenization/unicode.h"

namespace hexapla::evaluate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Strings = std::vector<std::string>;

template <class Thrown = DataError, class Body>
std::string message_of(Body&& body) {
  try {
    body();
  } catch (const Thrown& error) {
    return error.what();
  }
  return "(no such error was thrown)";
}

TEST(Bleu, EqualTextScoresHundred) {
  const Strings lines = {"A man rides a bike.", "Two dogs play."};
  const BleuScore score = corpus_bleu(lines, lines);
  EXPECT_NEAR(score.score, 100, 1e-12);
  EXPECT_EQ(score.brevity_penalty, 1);
  EXPECT_EQ(score.hypothesis_length, 10);
}

TEST(Bleu, ByHand) {  // 1-grams 3/4, 2-grams 2/3, 3-grams 1/2, 4-grams 0/1 smoothed to 1/2; 4 tokens against 5
  const BleuScore score = corpus_bleu(Strings{"a b c x"}, Strings{"a b c d e"});
  EXPECT_THAT(score.matches, ElementsAre(3, 2, 1, 0));
  EXPECT_THAT(score.totals, ElementsAre(4, 3, 2, 1));
  EXPECT_NEAR(score.precisions[3], 50, 1e-12);
  EXPECT_NEAR(score.score, 100 * std::exp(1 - 5. / 4) * std::pow(.75 * (2. / 3) * .5 * .5, .25), 1e-9);
}

TEST(Bleu, SignatureNamesThisProgram) {
  EXPECT_THAT(corpus_bleu(Strings{"a"}, Strings{"a"}).signature,
              ::testing::StartsWith("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:hexapla-"));
  EXPECT_THAT(corpus_bleu(Strings{"a"}, Strings{"a"}, {.lowercase = true}).signature, HasSubstr("|case:lc|"));
  EXPECT_THAT(signature(Chrf(), 1),
              ::testing::StartsWith("chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:hexapla-"));
}

TEST(Bleu, Text) {
  EXPECT_EQ(corpus_bleu(Strings{"the cat sat on a mat"}, Strings{"the cat sat on the mat"}).text(),
            "BLEU = 53.7 83.3/60.0/50.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)");
}

TEST(Metrics, CountsMustAgree) {
  for (const char* name : {"bleu", "chrf", "chrf++", "ter"}) {
    const auto metric = make_metric(name, {});
    const Strings one = {"a"}, two = {"a", "b"};
    const std::vector<Strings> unequal = {two, one}, none, empty = {{}};
    EXPECT_THAT(message_of([&] { corpus_score(*metric, two, unequal); }),
                HasSubstr("2 hypotheses against 1 references"));
    EXPECT_THAT(message_of([&] { corpus_score(*metric, two, none); }), HasSubstr("needs a reference"));
    EXPECT_THAT(message_of([&] { corpus_score(*metric, {}, empty); }), HasSubstr("empty text"));
  }
}

TEST(Metrics, UnknownNames) {
  EXPECT_THAT(message_of<UsageError>([] { make_metric("blue", {}); }),
              HasSubstr("'blue'; allowed are bleu, chrf, chrf++ and ter"));
  EXPECT_THAT(message_of<UsageError>([] { make_metric("bleu", {.tokenize = "14a"}); }),
              HasSubstr("'14a'; allowed are 13a, none, intl, char, zh, ja-mecab and ko-mecab"));
}

TEST(Metrics, InvalidUtf8IsScoredNotRefused) {
  const Strings hypothesis = {"caf\xE9 a b c"};
  const std::vector<Strings> reference = {{"café a b c"}};
  for (const char* name : {"bleu", "chrf", "chrf++", "ter"}) {
    EXPECT_GT(corpus_score(*make_metric(name, {}), hypothesis, reference), 0) << name;
  }
}

TEST(Metrics, AnyNumberOfThreadsGivesTheSameBits) {
  Random random(1);
  std::vector<Strings> references(2);
  Strings hypotheses;
  const auto line = [&] {
    std::string text;
    for (uint32_t n = random.below(20); n > 0; --n)
      text += cat(char('a' + random.below(6)), random.below(2) ? " " : "");
    return text;
  };
  for (int i = 0; i < 100; ++i) {
    hypotheses.push_back(line());
    for (auto& reference : references) reference.push_back(line());
  }
  const int before = threads();
  for (const char* name : {"bleu", "chrf", "chrf++", "ter"}) {
    const auto metric = make_metric(name, {});
    use_threads(1);
    const auto alone = sentence_statistics(*metric, hypotheses, references);
    use_threads(3);
    EXPECT_EQ(sentence_statistics(*metric, hypotheses, references), alone) << name;
    use_threads(before);
  }
}

TEST(Chrf, ByHand) {  // "ab" against "abc": precision 2/2 and 1/1, recall 2/3 and 1/2
  const Chrf chrf;
  const double precision = 1, recall = (2. / 3 + 1. / 2) / 2;
  EXPECT_NEAR(chrf.sentence_score(chrf.statistics("a b", Strings{"abc"})),
              100 * 5 * precision * recall / (4 * precision + recall), 1e-9);
}

TEST(Chrf, OfSeveralReferencesTheBestOfEachSentence) {
  const Chrf chrf;
  EXPECT_EQ(chrf.statistics("the cat", Strings{"a dog", "the cat", "the rat"}),
            chrf.statistics("the cat", Strings{"the cat"}));
}

TEST(ChrfPlusPlus, OneMarkIsTakenOffAWord) {  // "(hi)" is "(hi" and ")"; "hi)" is "hi" and ")"
  const Chrf chrf({.word_order = 2});
  EXPECT_EQ(chrf.name(), "chrF2++");
  const MetricStatistics s = chrf.statistics("(hi)", Strings{"( hi)"});
  EXPECT_THAT(std::vector<double>(s.end() - 6, s.end()), ElementsAre(2, 3, 1, 1, 2, 0));
}

TEST(Bleu, TheNearestReferenceLengthCountsAndOfTwoTheShorter) {
  const Bleu bleu;
  EXPECT_EQ(bleu.statistics("a b c d", Strings{"a", "a b c", "a b c d e"})[1], 3);
  EXPECT_EQ(bleu.statistics("a b c d", Strings{"a b c d e", "a", "a b c"})[1], 3);
}

TEST(Bleu, SentencesCountTheOrdersThatTheyAreLongEnoughFor) {
  const Bleu bleu;
  EXPECT_NEAR(bleu.sentence_score(bleu.statistics("a b", Strings{"a b"})), 100, 1e-9);
  EXPECT_EQ(bleu.score(bleu.statistics("a b", Strings{"a b"})), 0);
}

int64_t edits(const std::string& hypothesis, const std::string& reference) {
  return static_cast<int64_t>(Ter().statistics(hypothesis, Strings{reference})[0]);
}

TEST(Ter, ByHand) {
  EXPECT_EQ(edits("a b c", "a b c"), 0);
  EXPECT_EQ(edits("a b c", "a x c d"), 2);    // one substituted, one missing
  EXPECT_EQ(edits("c d a b", "a b c d"), 1);  // moves a whole block
  EXPECT_EQ(edits("A b", "a B"), 0);          // ignores case
  EXPECT_EQ(edits("a b c", ""), 3);
  EXPECT_EQ(edits("", "a b c"), 3);
  const Ter ter;
  EXPECT_EQ(ter.score(ter.statistics("a", Strings{""})), 100);
  EXPECT_EQ(ter.score(ter.statistics("", Strings{""})), 0);
  EXPECT_THAT(ter.statistics("a b", Strings{"a b c", "a c d e"}), ElementsAre(1, 3.5));
  EXPECT_FALSE(ter.higher_is_better());
}

TEST(Ter, Tokens) {
  EXPECT_THAT(tokenize_ter("It's 3,5 (or so).", {}), ElementsAre("it's", "3,5", "(or", "so)."));
  EXPECT_THAT(tokenize_ter("It's 3,5 (or so).", {.normalized = true, .case_sensitive = true}),
              ElementsAre("It", "'s", "3,5", "(", "or", "so", ")", "."));
  EXPECT_THAT(tokenize_ter("It's 3,5 (or so).", {.no_punct = true}), ElementsAre("it's", "35", "or", "so"));
  EXPECT_THAT(tokenize_ter("我去。", {.no_punct = true, .asian_support = true}), ElementsAre("我去"));
  EXPECT_THAT(tokenize_ter("我去。", {.normalized = true, .asian_support = true}), ElementsAre("我", "去", "。"));
}

TEST(Ter, ReferencesAreCutTwiceAsInSacreBleu) {
  EXPECT_THAT(Ter({.normalized = true}).statistics("a.,5", Strings{"a.,5"}), ElementsAre(2, 4));
  EXPECT_THAT(Ter().statistics("a.,5", Strings{"a.,5"}), ElementsAre(0, 1));
}

TEST(Tokenizers, Siblings) {
  EXPECT_THAT(tokenize_none("a.b c"), ElementsAre("a.b", "c"));
  EXPECT_THAT(tokenize_char("a b\u00e9"), ElementsAre("a", "b", "\u00e9"));
  EXPECT_THAT(tokenize_intl("1,5 \u20ac\u00bb2."), ElementsAre("1,5", "\u20ac", "\u00bb", "2."));
  EXPECT_THAT(tokenize_zh(".5\u6211\u53bbok."), ElementsAre(".5", "\u6211", "\u53bb", "ok", "."));
}

TEST(Unicode, SplitAndStrip) {
  EXPECT_THAT(split(" a\u00A0b\u2003 c"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split("\u3000"), ElementsAre());
  EXPECT_EQ(strip_right(" a b \t\u00A0"), " a b");
  EXPECT_EQ(strip("\u3000 a b \t\u00A0"), "a b");
  EXPECT_EQ(strip(" \t"), "");
}

}  // namespace
}  // namespace hexapla::evaluate
