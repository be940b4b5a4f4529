#include "base/options/word.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hexapla {
namespace {

using Position = Word<"post", "pre">;

static_assert(Position("pre") == "pre" && Position("pre") != "post");

TEST(Word, IsReadAndShown) {
  Position position = "post";
  position = Position::parse("norm", "pre");
  EXPECT_TRUE(position == "pre");
  EXPECT_EQ(position.text(), "pre");
  EXPECT_EQ(cat(position, "!"), "pre!");
  EXPECT_EQ("norm " + position + " it", "norm pre it");
  EXPECT_EQ(Position::choices(), (Choices{"post", "pre"}));
}

TEST(Word, OthersAreRefused) {
  try {
    Position::parse("norm", "pr");
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_STREQ(e.what(), "`norm` is 'pr', but must be one of: post, pre");
  }
}

}  // namespace
}  // namespace hexapla
