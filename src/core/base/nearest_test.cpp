#include "base/nearest.h"

#include <gtest/gtest.h>

namespace hexapla {
namespace {

TEST(Nearest, IsTheLeastChangedOrNone) {
  const std::vector<std::string> names{"batch-tokens", "batch-sentences", "seed", "lr"};
  EXPECT_EQ(nearest(names, "batch-token"), "batch-tokens");
  EXPECT_EQ(nearest(names, "batch_tokens"), "batch-tokens");
  EXPECT_EQ(nearest(names, "sede"), "seed");
  EXPECT_EQ(nearest(names, "beam-size"), "");
  EXPECT_EQ(nearest({}, "lr"), "");
}

TEST(Nearest, IsTheOnlyOneThatTheWordBegins) {
  EXPECT_EQ(nearest({"beam-size", "seed"}, "beam"), "beam-size");
  EXPECT_EQ(nearest({"beam_size", "seed"}, "beam"), "beam_size");
  EXPECT_EQ(nearest({"batch-tokens", "batch-sentences"}, "batch"), "");
}

}  // namespace
}  // namespace hexapla
