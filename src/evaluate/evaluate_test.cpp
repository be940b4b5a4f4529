#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "evaluate/bleu.h"
#include "evaluate/chrf.h"
#include "evaluate/perplexity.h"
#include "evaluate/unicode.h"

namespace hexapla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Strings = std::vector<std::string>;

template <class Body>
std::string message_of(Body&& body) {
  try {
    body();
  } catch (const DataError& error) {
    return error.what();
  }
  return "(no DataError was thrown)";
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
  EXPECT_THAT(corpus_chrf(Strings{"a"}, Strings{"a"}).signature,
              ::testing::StartsWith("chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:hexapla-"));
}

TEST(Bleu, Text) {
  EXPECT_EQ(corpus_bleu(Strings{"the cat sat on a mat"}, Strings{"the cat sat on the mat"}).text(),
            "BLEU = 53.7 83.3/60.0/50.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)");
  EXPECT_EQ(corpus_chrf(Strings{"abc"}, Strings{"abc"}).text(), "chrF2 = 100.0");
}

TEST(Metrics, CountsMustAgree) {
  for (const std::string& message : {message_of([] {
                                       corpus_bleu(Strings{"a", "b"}, Strings{"a"});
                                     }),
                                     message_of([] {
                                       corpus_chrf(Strings{"a", "b"}, Strings{"a"});
                                     })}) {
    EXPECT_THAT(message, HasSubstr("2 hypotheses against 1 references"));
  }
  EXPECT_THAT(message_of([] { corpus_bleu({}, {}); }), HasSubstr("no sentence"));
  EXPECT_THAT(message_of([] { corpus_chrf({}, {}); }), HasSubstr("no sentence"));
}

TEST(Metrics, InvalidUtf8IsScoredNotRefused) {
  const Strings hypothesis = {"caf\xE9 a b c"};
  EXPECT_GT(corpus_bleu(hypothesis, Strings{"café a b c"}).score, 0);
  EXPECT_GT(corpus_chrf(hypothesis, Strings{"café a b c"}).score, 0);
}

TEST(Unicode, SplitAndStrip) {
  EXPECT_THAT(split(" a\u00A0b\u2003 c"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split("\u3000"), ElementsAre());
  EXPECT_EQ(strip_right(" a b \t\u00A0"), " a b");
}

TEST(Perplexity, OfAUniformGuess) { EXPECT_NEAR(perplexity(10 * std::log(50.), 10), 50, 1e-9); }

}  // namespace
}  // namespace hexapla
