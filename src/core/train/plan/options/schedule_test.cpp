#include "train/plan/options/schedule.h"

#include "train/loop/time_plan.h"

#include <gmock/gmock.h>

#include "base/files/test_folder.h"

namespace hexapla::train {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TrainOptions with(const std::string& schedule) {
  TrainOptions o;
  o.schedule = o.schedule.parse("schedule", schedule);
  o.lr = 0.008;
  o.warmup = 4;
  return o;
}

std::vector<double> rates(const Schedule& s, const std::vector<int64_t>& steps) {
  std::vector<double> all;
  for (int64_t step : steps) all.push_back(learning_rate(s, step));
  return all;
}

auto near(const std::vector<double>& expected) { return testing::Pointwise(testing::DoubleNear(1e-15), expected); }

TEST(Schedule, IsThePapers) {
  TrainOptions o;
  o.architecture.d_model = 512;
  o.warmup = 4000;
  const Schedule s = make_schedule(o);
  for (int64_t step : {1, 100, 3999, 4000, 4001, 100000})
    EXPECT_NEAR(learning_rate(s, step),
                std::pow(512, -0.5) * std::min(std::pow(step, -0.5), double(step) * std::pow(4000, -1.5)), 1e-15);
  o.lr_factor = 2;
  EXPECT_DOUBLE_EQ(learning_rate(make_schedule(o), 100), 2 * learning_rate(s, 100));
}

TEST(Schedule, InverseSquareRoot) {
  EXPECT_THAT(rates(make_schedule(with("inverse-sqrt")), {1, 2, 4, 16, 64}), near({0.002, 0.004, 0.008, 0.004, 0.002}));
}

TEST(Schedule, Linear) {
  TrainOptions o = with("linear");
  o.max_updates = 12;
  EXPECT_THAT(rates(make_schedule(o), {1, 4, 6, 8, 12, 13}), near({0.002, 0.008, 0.006, 0.004, 0, 0}));
  o.decay_updates = 8;
  o.min_lr = 0.002;
  EXPECT_THAT(rates(make_schedule(o), {4, 6, 8, 9}), near({0.008, 0.005, 0.002, 0.002}));
}

TEST(Schedule, Cosine) {
  TrainOptions o = with("cosine");
  o.max_updates = 16;
  // cos 0, cos 60, cos 90, cos 120, cos 180 degrees.
  EXPECT_THAT(rates(make_schedule(o), {2, 4, 8, 10, 12, 16, 99}), near({0.004, 0.008, 0.006, 0.004, 0.002, 0, 0}));
  o.min_lr = 0.004;
  EXPECT_THAT(rates(make_schedule(o), {4, 10, 16, 17}), near({0.008, 0.006, 0.004, 0.004}));
}

TEST(Schedule, ConstantAndPlateauRiseAndStay) {
  for (const char* name : {"constant", "plateau"})
    EXPECT_THAT(rates(make_schedule(with(name)), {1, 3, 4, 5, 1000}), near({0.002, 0.006, 0.008, 0.008, 0.008}));
}

TEST(Schedule, OneUpdateOfWarmUpIsNone) {
  TrainOptions o = with("constant");
  o.warmup = 1;
  EXPECT_THAT(rates(make_schedule(o), {1, 2}), near({0.008, 0.008}));
}

TEST(Schedule, ADecayNeedsAnEnd) {
  for (const char* name : {"linear", "cosine"}) {
    TrainOptions o = with(name);
    EXPECT_THAT(what_of<UsageError>([&] { make_schedule(o); }),
                AllOf(HasSubstr(cat("`schedule` ", name, " decays until update (none given)")),
                      HasSubstr("give `decay-updates`, or `max-updates`")));
    o.max_updates = 4;
    EXPECT_THAT(what_of<UsageError>([&] { make_schedule(o); }),
                HasSubstr("until update 4, but must end after `warmup` 4"));
  }
}

TEST(Cooldown, FallsToNothingAfterTheLastUpdate) {
  const Cooldown c{.from = 6, .end = 9};
  for (const auto& [step, factor] : {std::pair{1, 1.0}, {6, 1.0}, {7, 0.75}, {8, 0.5}, {9, 0.25}, {10, 0.0}, {99, 0.0}})
    EXPECT_DOUBLE_EQ(c.at(step), factor) << step;
  EXPECT_DOUBLE_EQ(Cooldown{}.at(1'000'000), 1) << "there is none";
}

TEST(Cooldown, EndsWithTheRunOrWithItsDecay) {
  TrainOptions o = with("inverse-sqrt");
  EXPECT_FALSE(given_cooldown(o));
  o.cooldown = 10;
  EXPECT_THAT(what_of<UsageError>([&] { given_cooldown(o); }),
              AllOf(HasSubstr("`cooldown` 10 needs a run of at least as many updates"), HasSubstr("(none given)")));
  o.max_updates = 40;
  EXPECT_EQ(given_cooldown(o).from, 30);
  EXPECT_EQ(given_cooldown(o).end, 40);
  o.decay_updates = 35;
  EXPECT_EQ(given_cooldown(o).end, 35);
}

TEST(Cooldown, OfALimitOfTimeBeginsWithItsLastQuarter) {
  TrainOptions o = with("inverse-sqrt");
  RunState state;
  state.update = 300;
  EXPECT_FALSE(cooldown_from(o, state, 0.7));
  EXPECT_EQ(cooldown_from(o, state, 0.75).from, 300);
  EXPECT_EQ(cooldown_from(o, state, 0.75).end, 400);
  state.cooldown = cooldown_from(o, state, 0.75);
  EXPECT_FALSE(cooldown_from(o, state, 0.8)) << "it has begun";
  EXPECT_EQ(forget_early_cooldown(state, false), "");
  EXPECT_TRUE(state.cooldown);
  EXPECT_THAT(forget_early_cooldown(state, true), HasSubstr("update 300: the limit of time has changed"));
  EXPECT_FALSE(state.cooldown);
  EXPECT_THAT(state.changed, HasSubstr("as high as before")) << "a reproduction has to say so";
  o = with("linear");
  o.max_updates = 1000;
  EXPECT_FALSE(cooldown_from(o, {.update = 300}, 0.8)) << "it falls anyway";
}

TEST(Warmup, TakesAQuarterOfTheTimeAtMost) {
  EXPECT_EQ(warmup_within(2000, 1e6), 2000);
  EXPECT_EQ(warmup_within(2000, 8000), 2000);
  EXPECT_EQ(warmup_within(2000, 1200), 300);
  EXPECT_EQ(warmup_within(2000, 0.3), 1);
}

TEST(Warmup, ThatFitsIsTakenUnlessAnotherOneIsAskedFor) {
  TrainOptions o = with("constant");
  o.warmup = 100;
  RunState state;
  EXPECT_EQ(take_warmup(state, o), "");
  state.asked_warmup = 100, state.warmup = 30;
  EXPECT_THAT(take_warmup(state, o), HasSubstr("`warmup` is 30 instead of 100"));
  EXPECT_EQ(o.warmup, 30);
  o.warmup = 50;
  EXPECT_EQ(take_warmup(state, o), "");
  EXPECT_EQ(o.warmup, 50);
  EXPECT_EQ(state.warmup, 0);
}

TEST(Warmup, ThatARunEndsBeforeIsToldAtItsStart) {
  TrainOptions o = with("constant");
  o.warmup = 100;
  EXPECT_EQ(warning_of_warmup(o, 5), "") << "no end is known";
  o.max_updates = 100;
  EXPECT_EQ(warning_of_warmup(o, 5), "");
  o.max_epochs = 4;
  EXPECT_THAT(warning_of_warmup(o, 5), AllOf(HasSubstr("ends at update 20"), HasSubstr("lower `warmup` to 5 ")));
}

TEST(Plateau, HalvesWhenValidationsStall) {
  Plateau p;
  std::vector<double> scales;
  for (const bool better : {true, false, true, false, false, false, false, true, false})
    p.validated(better, 2, 0.5), scales.push_back(p.scale);
  EXPECT_EQ(scales, (std::vector<double>{1, 1, 1, 1, 0.5, 0.5, 0.25, 0.25, 0.25}));
  EXPECT_EQ(p.stalled, 1);
}

}  // namespace
}  // namespace hexapla::train
