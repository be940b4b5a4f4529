#include "train/record/run_state.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hexapla::train {
namespace {

// The format of older checkpoints: part 3, window 5 of it, batch 7 of that.
TEST(RunState, APositionIsTheNumberThatCheckpointsAlwaysHad) {
  const struct {
    data::BatchPosition position;
    const char* text;
  } known[] = {{{}, "0"},
               {{{0, 0}, 41}, "41"},
               {{{0, 1}, 0}, "4294967296"},
               {{{1, 0}, 0}, "281474976710656"},
               {{{3, 5}, 7}, "844446404968455"},
               {{{0, 65535}, 4294967295}, "281474976710655"}};
  for (const auto& [position, text] : known) {
    RunState state;
    state.position = position;
    EXPECT_EQ(state.to_strings().at("place"), text);
    EXPECT_EQ(RunState::from_strings(state.to_strings(), "x").position, position) << text;
  }
}

TEST(RunState, APositionWithoutRoomIsAnErrorAndNotAnother) {
  RunState state;
  state.position = {{0, 65536}, 0};
  EXPECT_THROW(state.to_strings(), InternalError);
}

TEST(RunState, AScoreMayBeAnyNumberOrNone) {
  for (const std::optional<double> score : {std::optional<double>(), {-1.0}, {0.0}, {-0.1}, {33.3}}) {
    RunState state;
    if (score) state.best = {"", *score, {}};
    EXPECT_EQ(RunState::from_strings(state.to_strings(), "x").best, state.best);
  }
  EXPECT_EQ(RunState().to_strings().at("best_score"), "-1") << "as earlier versions write and read it";
}

TEST(RunState, AStandingComesBackWholeAndAnEarlierOneGetsItsMetric) {
  RunState state;
  state.best = {"chrf", 45.25, {{45.25, 1.0 / 3}}, {1.0 / 3, 45.5, 1e-20}};
  state.best_update = 40;
  state.best_models.add(30, {"loss", 2.5, {{7, 2.5}}}, 2);
  state.best_models.add(40, *state.best, 2);
  auto strings = state.to_strings();
  RunState again = RunState::from_strings(strings, "x");
  EXPECT_EQ(again.best, state.best);
  EXPECT_EQ(again.to_strings(), strings);
  EXPECT_FALSE(again.best_models.accepts({"loss", 3, {{9, 3}}}, 2));
  strings.erase("ties"), strings.erase("resampled");  // as earlier versions wrote it
  RunState earlier = RunState::from_strings(strings, "x");
  earlier.name_metric("chrf");
  EXPECT_EQ(earlier.best, (Standing{"chrf", 45.25, {}}));
}

}  // namespace
}  // namespace hexapla::train
