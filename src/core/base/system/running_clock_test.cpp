#include "base/system/running_clock.h"

#include <gtest/gtest.h>

namespace hexapla {
namespace {

TEST(WatchedTime, CountsWhatLiesBetweenLooks) {
  WatchedTime time(100);
  EXPECT_DOUBLE_EQ(time.look(100.5), 0.5);
  EXPECT_DOUBLE_EQ(time.look(101.5), 1.5);
  EXPECT_DOUBLE_EQ(time.look(101.5), 1.5);
}

TEST(WatchedTime, AStretchThatNobodySawDoesNotCount) {
  WatchedTime time(0);
  time.look(0.25);
  EXPECT_DOUBLE_EQ(time.look(3600.25), 0.25) << "stopped for an hour";
  EXPECT_DOUBLE_EQ(time.look(3600.5), 0.5) << "and on again";
}

TEST(RunningClock, NeverGoesBack) {
  const RunningClock clock;
  double before = 0;
  for (int i = 0; i < 1000; ++i) {
    const double now = clock.seconds();
    EXPECT_GE(now, before);
    before = now;
  }
}

}  // namespace
}  // namespace hexapla
