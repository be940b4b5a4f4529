#include "train/automatic/recipe_rules.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/compute/random.h"

namespace hexapla::train {
namespace {

CorpusFacts facts(int64_t pairs, int64_t characters, int64_t alphabet) {
  return {pairs, pairs * characters, pairs * characters, alphabet};
}

// From 20 pairs of a few characters to a hundred million long ones, in scripts with 10 to 8,000 characters.
CorpusFacts some_facts(Random& random) {
  const auto between = [&](double least, double most) {
    return static_cast<int64_t>(least * std::pow(most / least, random.uniform()));
  };
  CorpusFacts f{between(20, 1e8), 0, 0, between(10, 8000)};
  f.source_characters = f.pairs * between(2, 400);
  f.target_characters = f.pairs * between(2, 400);
  return f;
}

TEST(RecipeRules, GiveARunThatCanBegin) {
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    const CorpusFacts f = some_facts(random);
    for (const RunLength& length : {RunLength{}, {1e4, 0}, {1e6, 0}, {1e9, 0}, {0, 1}, {0, 1e6}}) {
      TrainOptions o = recipe(largest_size(f), f, length);
      o.train_sets = {"a", "b"};
      o.model = "run";
      EXPECT_NO_THROW(o.check());
      EXPECT_NO_THROW(o.architecture.resolve());
      EXPECT_GT(o.vocab_size, f.alphabet) << "a piece for each character";
      EXPECT_LE(o.hold_out, f.pairs / 10);
      EXPECT_GE(o.hold_out, 2);
    }
  }
}

TEST(RecipeRules, MoreTextNeverMeansASmallerModelOrFewerPieces) {
  int64_t size = 0, pieces = 0;
  for (int64_t pairs = 20; pairs < 100'000'000; pairs *= 3) {
    const CorpusFacts f = facts(pairs, 60, 90);
    EXPECT_GE(largest_size(f), size) << pairs;
    EXPECT_GE(pieces_for(f), pieces) << pairs;
    size = largest_size(f), pieces = pieces_for(f);
  }
  EXPECT_EQ(size, sizes_of_models() - 1) << "the largest is for somebody";
}

TEST(RecipeRules, MoreTimeNeverMeansASmallerBatch) {
  const CorpusFacts f = facts(29'000, 62, 90);
  int64_t batch = 0;
  for (double tokens = 1e4; tokens < 1e10; tokens *= 4) {
    const TrainOptions o = recipe(1, f, {tokens, 0});
    EXPECT_GE(o.batch_tokens * o.accumulate, batch) << tokens;
    batch = o.batch_tokens * o.accumulate;
  }
}

TEST(RecipeRules, LargerModelsNeedMoreTokens) {
  const CorpusFacts f = facts(29'000, 62, 90);
  for (int64_t size = 1; size < sizes_of_models(); ++size) {
    const model::Config smaller = recipe(size - 1, f, {}).architecture, larger = recipe(size, f, {}).architecture;
    EXPECT_GT(layer_weights(larger), layer_weights(smaller));
    EXPECT_FALSE(enough_tokens(larger, 3.0 * static_cast<double>(layer_weights(larger))));
    EXPECT_TRUE(enough_tokens(larger, 5.0 * static_cast<double>(layer_weights(larger))));
  }
}

TEST(RecipeRules, WithoutALimitARunEndsWhenItNoLongerImproves) {
  const TrainOptions o = recipe(0, facts(2000, 30, 40), {});
  EXPECT_GT(o.patience, o.plateau_patience);
  EXPECT_EQ(o.schedule.text(), "plateau");
  EXPECT_EQ(recipe(0, facts(2000, 30, 40), {1e6, 0}).patience, 0);
}

}  // namespace
}  // namespace hexapla::train
