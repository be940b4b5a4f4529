// R-Drop in a training run: options, log, model file, memory, effect.
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "base/files/test_folder.h"
#include "base/json.h"
#include "model/weights/model_file.h"
#include "train/loop/replay.h"
#include "train/plan/memory_plan.h"
#include "train/test_runs.h"

namespace hexapla::train {
namespace {
using testing::HasSubstr;

class RDrop : public Training {
 protected:
  TrainOptions dropped(const std::string& name, double alpha) const {
    TrainOptions o = options(name);
    o.r_drop = alpha;
    o.architecture.dropout = 0.1;
    return o;
  }
};

TEST_F(RDrop, ThePassesComeTogether) {
  TrainOptions without = dropped("without", 1e-9), with = dropped("with", 5);
  without.max_updates = with.max_updates = 200;
  run(without), run(with);
  EXPECT_LT(at_the_end(with, "divergence"), 0.5 * at_the_end(without, "divergence"));
  EXPECT_LT(at_the_end(with, "loss"), 0.7 * reports_of(with).front()["loss"].get<double>()) << "it learns all the same";
}

TEST_F(RDrop, IsLoggedAndWrittenIntoTheModelAndLeavesNoTraceWhereItIsOff) {
  const TrainOptions with = dropped("with", 5), off = dropped("off", 0);
  const auto model = model::load_model(run(with).model), plain = model::load_model(run(off).model);
  EXPECT_EQ(model.history.at("r_drop"), "5");
  EXPECT_EQ(nlohmann::json::parse(model.history.at("options"))["r-drop"], 5);
  EXPECT_FALSE(plain.history.contains("r_drop"));
  EXPECT_FALSE(nlohmann::json::parse(plain.history.at("options")).contains("r-drop"));
  EXPECT_TRUE(reports_of(with).back().contains("divergence"));
  EXPECT_FALSE(reports_of(off).back().contains("divergence"));
}

TEST_F(RDrop, StoppedAndResumedEqualsNeverStopped) {
  TrainOptions o = dropped("whole", 5);
  o.accumulate = 2;
  expect_resumes_exactly(o);
}

TEST_F(RDrop, ARunIsNotResumedWithAnotherWeight) {
  TrainOptions o = dropped("run", 5);
  o.max_updates = 10;
  run(o);
  o.max_updates = 20;
  o.r_drop = 1;
  EXPECT_THAT(what_of<UsageError>([&] { run(o); }), HasSubstr("r-drop was 5.0, now it is 1.0"));
  o.r_drop = 0;
  EXPECT_THAT(what_of<UsageError>([&] { run(o); }), HasSubstr("r-drop was 5.0, now it is not set"));
}

TEST_F(RDrop, WithoutDropoutItIsRefused) {
  TrainOptions o = dropped("refused", 5);
  o.architecture.dropout = 0;
  EXPECT_THAT(what_of<UsageError>([&] { o.check(); }),
              HasSubstr("`r-drop` 5 compares two passes that differ in their"));
  o.architecture.attention_dropout = 0.1;
  o.check();
  o.r_drop = -1;
  EXPECT_THAT(what_of<UsageError>([&] { o.check(); }), HasSubstr("`r-drop` is -1"));
}

TEST_F(RDrop, AFailedStepIsReplayedWithIt) {
  TrainOptions o = dropped("failed", 5);
  o.lr = 1e38;
  o.warmup = 1;
  what_of<RunError>([&] { run(o); });
  EXPECT_EQ(load_step(o.model).step.objective.r_drop, 5);
  o = dropped("plain", 0);
  o.lr = 1e38;
  o.warmup = 1;
  what_of<RunError>([&] { run(o); });
  EXPECT_EQ(load_step(o.model).step.objective.r_drop, 0);
}

// One step of a separate model on a batch with links.
class RDropStep : public RDrop {
 protected:
  explicit RDropStep(double dropout = 0, int64_t experts = 0) {
    model::Config c = options("").architecture;
    c.source_vocab = c.target_vocab = 20;
    c.dropout = dropout;
    c.experts = experts;
    c.resolve();
    model_.emplace(c);
    parameters_.emplace(*model_, DType::f32, model::Parameters::Use::training);
    model::initialize(*model_, 1);
    batch_.source = {3, 4, 5, 2, 6, 2}, batch_.source_offsets = {0, 4, 6};
    batch_.target_in = {1, 9, 10, 1, 5}, batch_.target_out = {9, 10, 2, 5, 2}, batch_.target_offsets = {0, 3, 5};
    batch_.lines = {1, 2}, batch_.corpora = {0, 0};
    batch_.link_offsets = {0, 1, 3, 3, 4, 4}, batch_.linked = {2, 0, 1, 0};
  }
  model::LossSums step(const Objective& objective, Tensor gradient = {}) {
    arena_.clear();
    fill(cx_, parameters_->gradients(), 0);
    cx_.training = true;
    const model::LossSums sums = loss_and_gradient(cx_, *model_, batch_, objective, 0.25, saved_);
    if (gradient) copy(cx_, parameters_->gradients(), gradient);
    return sums;
  }

  void expect_the_usual_step();

  std::optional<model::Transformer> model_;
  std::optional<model::Parameters> parameters_;
  data::Batch batch_;
  std::unique_ptr<Backend> backend_ = make_backend();
  Arena arena_{size_t{1} << 26};
  Context cx_{*backend_, arena_};
  model::Transformer::Saved saved_;
};

// The mean of two equal passes equals one pass: losses, guidance, load and gradient.
void RDropStep::expect_the_usual_step() {
  const Objective usual{.label_smoothing = 0.1, .guidance = {0, 1, 0.5}};
  Objective paired = usual;
  paired.r_drop = 5;
  Tensor a = parameters_->slab_like_values(), b = parameters_->slab_like_values();
  const model::LossSums one = step(usual, a), two = step(paired, b);
  EXPECT_EQ(two.tokens, one.tokens);
  EXPECT_EQ(two.linked, one.linked);
  EXPECT_EQ(one.linked, 3);
  EXPECT_NEAR(two.loss, one.loss, 1e-5 * one.loss);
  EXPECT_NEAR(two.nll, one.nll, 1e-5 * one.nll);
  EXPECT_NEAR(two.alignment, one.alignment, 1e-5 * one.alignment);
  EXPECT_NEAR(two.balancing, one.balancing, 1e-5 * one.balancing);
  EXPECT_NEAR(two.divergence, 0, 1e-9);
  const auto x = a.values<float>(), y = b.values<float>();
  double largest = 0, difference = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    largest = std::max<double>(largest, std::abs(x[i]));
    difference = std::max<double>(difference, std::abs(x[i] - y[i]));
  }
  EXPECT_GT(largest, 0.01);
  EXPECT_LT(difference, 1e-5 * largest);
}

TEST_F(RDropStep, WithoutDropoutItIsTheUsualStep) { expect_the_usual_step(); }

struct RDropStepOfExperts : RDropStep {
  RDropStepOfExperts() : RDropStep(0, 3) {}
};
TEST_F(RDropStepOfExperts, WithoutDropoutItIsTheUsualStep) { expect_the_usual_step(); }

TEST_F(RDropStep, TakesTheMemoryThatIsAnnounced) {
  const Objective paired{.label_smoothing = 0.1, .r_drop = 5, .guidance = {0, 1, 0.5}};
  step(paired);
  EXPECT_EQ(arena_.peak(), step_memory(*model_, batch_, paired));
  EXPECT_GT(arena_.peak(), 1.8 * double(step_memory(*model_, batch_, {.guidance = {0, 1, 0.5}})));
}

TEST(RDropBatch, TwiceHasEveryPairTwoTimes) {
  data::Batch b = made_up({{4, 3}, {2, 2}});
  std::iota(b.source.begin(), b.source.end(), 0);
  b.link_offsets = {0, 1, 3, 3, 4, 4}, b.linked = {2, 0, 1, 0};
  const data::Batch both = twice(b);
  EXPECT_THAT(both.source, testing::ElementsAre(0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5));
  EXPECT_THAT(both.source_offsets, testing::ElementsAre(0, 4, 6, 10, 12));
  EXPECT_THAT(both.target_offsets, testing::ElementsAre(0, 3, 5, 8, 10));
  EXPECT_THAT(both.link_offsets, testing::ElementsAre(0, 1, 3, 3, 4, 4, 5, 7, 7, 8, 8));
  EXPECT_THAT(both.linked, testing::ElementsAre(2, 0, 1, 0, 2, 0, 1, 0));
  EXPECT_EQ(both.sequences(), 4);
}

}  // namespace
}  // namespace hexapla::train
