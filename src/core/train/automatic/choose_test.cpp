#include "train/automatic/choose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/device/device.h"
#include "base/error.h"
#include "base/files/test_folder.h"
#include "train/plan/resolve/recipes.h"
#include "train/plan/resolve/resolve.h"

namespace hexapla::train {
namespace {

constexpr CorpusFacts kPairsOfNumbers{2000, 12'000, 60'000, 40};

class ChooseRecipe : public TestFolder {
 protected:
  TrainOptions asked(std::vector<GivenOption> more) const {
    std::vector<GivenOption> all{{"train-sets", {"a", "b"}}, {"model", {folder()}}};
    all.insert(all.end(), more.begin(), more.end());
    return resolve_options(all).options;
  }
  Chosen choose(std::vector<GivenOption> more, const CorpusFacts& facts = kPairsOfNumbers) {
    return choose_recipe(asked(std::move(more)), facts, *backend_);
  }
  std::unique_ptr<Backend> backend_ = make_backend(Precision::f32, "cpu");
};

TEST_F(ChooseRecipe, AutoIsTheDefault) {
  const TrainOptions o = asked({});
  EXPECT_EQ(o.preset, kAutomatic);
  EXPECT_TRUE(o.validates()) << "options about validation have an effect: lines are held out";
  EXPECT_NE(choose({}).options.preset, kAutomatic) << "the run is an ordinary one";
}

TEST_F(ChooseRecipe, WhatIsGivenOverridesOneChoice) {
  const TrainOptions o = choose({{"dropout", {"0.2"}}, {"vocab-size", {"99"}}, {"layers", {"1"}}}).options;
  EXPECT_EQ(o.architecture.dropout, 0.2);
  EXPECT_EQ(o.vocab_size, 99);
  EXPECT_EQ(o.architecture.enc_layers, 1);
  EXPECT_EQ(o.architecture.d_model, choose({}).options.architecture.d_model) << "the rest stays";
}

TEST_F(ChooseRecipe, HoldsLinesOutUnlessThereAreValidationSets) {
  EXPECT_GT(choose({}).options.hold_out, 0);
  EXPECT_EQ(choose({{"valid-sets", {"v", "w"}}}).options.hold_out, 0);
  const TrainOptions none = choose({{"hold-out", {"0"}}}).options;
  EXPECT_EQ(none.hold_out, 0);
  EXPECT_EQ(none.patience, 0) << "nothing is validated";
  EXPECT_NO_THROW(none.check());
}

TEST_F(ChooseRecipe, LittleTimeMeansASmallModel) {
  const CorpusFacts large{1'000'000, 60'000'000, 60'000'000, 90};
  const TrainOptions hours = choose({}, large).options, seconds = choose({{"max-minutes", {"0.1"}}}, large).options;
  EXPECT_LT(seconds.architecture.d_model, hours.architecture.d_model);
  EXPECT_LT(seconds.warmup, hours.warmup);
}

TEST_F(ChooseRecipe, IsKeptForTheRun) {
  const TrainOptions given = asked({{"max-updates", {"500"}}, {"lr", {"0.001"}}});
  const Chosen chosen = choose_recipe(given, kPairsOfNumbers, *backend_);
  keep_recipe(given, chosen);
  const TrainOptions again = recipe_of_run(given).options;
  EXPECT_EQ(dump_options(again), dump_options(chosen.options));
  EXPECT_EQ(again.preset, chosen.options.preset);
  EXPECT_EQ(recipe_of_run(asked({{"lr", {"0.002"}}})).options.lr, 0.002) << "what is given now counts";
}

TEST_F(ChooseRecipe, ARunOfAnEarlierVersionGoesOnWithBase) {
  EXPECT_EQ(recipe_of_run(asked({})).options.architecture.d_model, 512);
  EXPECT_EQ(recipe_of_run(asked({})).options.hold_out, 0);
}

TEST_F(ChooseRecipe, WhatDoesNotGoWithTheRecipeIsRefused) { EXPECT_THROW(choose({{"heads", {"3"}}}), UsageError); }

}  // namespace
}  // namespace hexapla::train
