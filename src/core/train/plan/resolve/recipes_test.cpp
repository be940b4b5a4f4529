#include "train/plan/resolve/recipes.h"

#include <gmock/gmock.h>

#include "base/files/test_folder.h"

namespace hexapla::train {
namespace {

using testing::HasSubstr;

TEST(Recipes, TinyIsTheOneThatWasMeasured) {
  const TrainOptions o = preset_options("tiny");
  EXPECT_EQ(o.preset, "tiny");
  EXPECT_EQ(o.batch_tokens, 8192);
  EXPECT_EQ(o.lr, 5e-3);
  EXPECT_EQ(o.warmup, 2000);
  EXPECT_EQ(o.average_last, 10);
  EXPECT_EQ(o.max_updates, 8000);
  EXPECT_EQ(o.architecture.d_model, 128);
  EXPECT_EQ(o.architecture.dropout, 0.3);
  EXPECT_EQ(o.architecture.attention_dropout, 0.1);
  EXPECT_EQ(o.architecture.activation_dropout, 0.1);
}

TEST(Recipes, BaseAndBigAreThePapers) {
  const TrainOptions base = preset_options("base"), big = preset_options("big");
  for (const TrainOptions& o : {base, big}) {
    EXPECT_EQ(o.lr, 0);
    EXPECT_EQ(o.warmup, 4000);
    EXPECT_EQ(o.label_smoothing, 0.1);
    EXPECT_EQ(o.beta2, 0.98);
    EXPECT_NEAR(double(o.batch_tokens * o.accumulate), 25'000, 500);
  }
  EXPECT_EQ(base.architecture.dropout, 0.1);
  EXPECT_EQ(big.architecture.dropout, 0.3);
  EXPECT_EQ(base.max_updates, 100'000);
  EXPECT_EQ(big.max_updates, 300'000);
  EXPECT_EQ(base.average_last, 5);
  EXPECT_EQ(big.average_last, 20);
}

TEST(Recipes, EveryPresetHasOneThatEnds) {
  for (const std::string& name : model::Config::preset_names()) EXPECT_GT(preset_options(name).max_updates, 0) << name;
  EXPECT_THAT(what_of<UsageError>([] { preset_options("huge"); }), HasSubstr("tiny, small, base, big"));
}

TEST(Recipes, AreDescribed) {
  const std::string text = describe_presets();
  EXPECT_THAT(text, HasSubstr("  tiny: enc-layers 4, dec-layers 4, dim-model 128, dim-ff 256, heads 4, dropout 0.3"));
  EXPECT_THAT(text, HasSubstr("lr 0.005, "));
  EXPECT_THAT(text,
              HasSubstr("  base: enc-layers 6, dec-layers 6, dim-model 512, dim-ff 2048, heads 8, dropout 0.1, "));
}

}  // namespace
}  // namespace hexapla::train
