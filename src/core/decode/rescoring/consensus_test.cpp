#include "decode/rescoring/consensus.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hexapla::decode {
namespace {

size_t best(Likeness likeness, const std::vector<std::string>& texts, std::vector<double> weights = {}) {
  if (weights.empty()) weights.assign(texts.size(), 1);
  const std::vector<double> scores = consensus(likeness, texts, weights);
  return static_cast<size_t>(std::ranges::max_element(scores) - scores.begin());
}

TEST(Consensus, IsWhatMostSay) {
  const std::vector<std::string> texts{"the cat sat on the mat", "a dog ran", "the cat sat on a mat",
                                       "the cat sat on mats"};
  for (const Likeness likeness : {Likeness::chrf, Likeness::bleu}) {
    EXPECT_NE(best(likeness, texts), 1u);
    EXPECT_EQ(best(likeness, texts, {0.01, 10, 0.01, 0.01}), 1u) << "weights";
  }
}

// Without blanks, words are characters: one of four differs.
TEST(Consensus, NeedsNoBlanks) {
  for (const std::vector<std::string>& texts :
       {std::vector<std::string>{"我有一只猫", "你是谁", "我有一只狗", "我有两只猫"},
        std::vector<std::string>{"สองร้อยสิบ", "แปด", "สองร้อยสิบเอ็ด", "สองร้อยยี่สิบ"},
        std::vector<std::string>{"مئتان وعشرة", "ثمانية", "مئتان وأحد عشر", "مئتان وعشرون"}})
    for (const Likeness likeness : {Likeness::chrf, Likeness::bleu}) EXPECT_NE(best(likeness, texts), 1u) << texts[0];
}

// A text that all say has the highest score there is, and the order of the texts does not matter.
TEST(Consensus, OfEqualTextsIsAHundred) {
  for (const Likeness likeness : {Likeness::chrf, Likeness::bleu}) {
    const std::vector<std::string> same(3, "zwei Katzen laufen schnell");
    for (const double score : consensus(likeness, same, std::vector<double>{1, 2, 3})) EXPECT_NEAR(score, 100, 1e-9);
    const std::vector<std::string> texts{"a b c d e", "a b c d f", "x y"}, back(texts.rbegin(), texts.rend());
    std::vector<double> scores = consensus(likeness, texts, std::vector<double>{1, 2, 3});
    const std::vector<double> reversed = consensus(likeness, back, std::vector<double>{3, 2, 1});
    std::reverse(scores.begin(), scores.end());
    for (size_t i = 0; i < scores.size(); ++i) EXPECT_NEAR(scores[i], reversed[i], 1e-9);
  }
}

TEST(Consensus, OfEmptyTextsIsNotMoreThanZero) {
  for (const Likeness likeness : {Likeness::chrf, Likeness::bleu})
    for (const double score : consensus(likeness, std::vector<std::string>{"", ""}, std::vector<double>{1, 1}))
      EXPECT_EQ(score, 0);
}

}  // namespace
}  // namespace hexapla::decode
