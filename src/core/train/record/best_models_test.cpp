#include "train/record/best_models.h"

#include <gmock/gmock.h>

namespace hexapla::train {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(BestModels, MoreBleuAndLessLossIsBetter) {
  for (const char* metric : {"bleu", "chrf", "script"}) {
    EXPECT_TRUE(is_better({metric, 40}, {metric, 39}));
    EXPECT_FALSE(is_better({metric, 39}, {metric, 39}));
  }
  EXPECT_TRUE(is_better({"loss", 2.5}, {"loss", 2.6}));
  EXPECT_FALSE(is_better({"loss", 2.6}, {"loss", 2.6}));
}

// The standard error of this difference is that of 1, 2, 3: 1.
TEST(BestModels, ADifferenceBelowItsStandardErrorIsNoise) {
  const auto standing = [](double score, std::vector<double> resampled) {
    return Standing{"bleu", score, {}, std::move(resampled)};
  };
  const Standing best = standing(30, {31, 32, 33});
  EXPECT_TRUE(is_noise(standing(29.5, {30, 30, 30}), best));
  EXPECT_TRUE(is_noise(best, standing(29.5, {30, 30, 30})));
  EXPECT_TRUE(is_noise(standing(30, {30, 30, 30}), best)) << "the same score, but not the same model";
  EXPECT_FALSE(is_noise(standing(28.5, {30, 30, 30}), best));
  EXPECT_FALSE(is_noise(best, best)) << "the same model";
  EXPECT_FALSE(is_noise(standing(29.5, {}), best)) << "nothing is known";
  EXPECT_FALSE(is_noise(standing(29.5, {30, 30}), best));
  EXPECT_FALSE(is_noise(Standing{"chrf", 29.5, {}, {30, 30, 30}}, best));
}

TEST(BestModels, KeepsTheBestOldestFirst) {
  BestModels best;
  for (const auto& [update, score] : {std::pair{1, 10.0}, {2, 12.0}, {3, 11.0}, {4, 9.0}, {5, 11.0}, {6, 13.0}})
    if (best.accepts({"bleu", score}, 3)) best.add(update, {"bleu", score}, 3);
  EXPECT_THAT(best.updates(), ElementsAre(2, 3, 6)) << "of 3 and 5, which are equal, 6 pushed out the later";
}

TEST(BestModels, OfEqualsTheEarlierStays) {
  BestModels best;
  best.add(1, {"loss", 2.5}, 2);
  best.add(2, {"loss", 2.5}, 2);
  EXPECT_FALSE(best.accepts({"loss", 2.5}, 2));
  EXPECT_EQ(best.add(3, {"loss", 2.4}, 2), 2);
  EXPECT_THAT(best.updates(), ElementsAre(1, 3));
}

TEST(BestModels, NoneIsKeptOfNone) {
  EXPECT_FALSE(BestModels().accepts({"bleu", 99}, 0));
  EXPECT_THAT(BestModels().updates(), IsEmpty());
}

TEST(BestModels, TextComesBack) {
  BestModels best;
  EXPECT_EQ(best.text(), "");
  best.add(1200, {"loss", 1.0 / 3}, 3);
  best.add(1400, {"loss", 1e-20}, 3);
  const BestModels again = BestModels::parse(best.text());
  EXPECT_EQ(again.text(), best.text());
  EXPECT_THAT(again.updates(), ElementsAre(1200, 1400));
  EXPECT_EQ(BestModels::parse("").text(), "");
}

}  // namespace
}  // namespace hexapla::train
