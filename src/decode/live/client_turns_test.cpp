#include "decode/live/client_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace hexapla::decode {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

constexpr uint64_t crowd = 7, visitor = 8;
const ClientTurns::Clock::time_point begin{std::chrono::hours(1)};

std::vector<size_t> all_next(ClientTurns& turns, size_t loops, ClientTurns::Clock::time_point now) {
  std::vector<size_t> names;
  while (const auto name = turns.next(loops, now)) names.push_back(*name);
  return names;
}

TEST(ClientTurns, AClientThatIsAloneHasAllInOrder) {
  ClientTurns turns;
  for (size_t name = 0; name < 40; ++name) turns.add(crowd, name, begin);
  EXPECT_TRUE(turns.more_than(39, 1, begin));
  EXPECT_FALSE(turns.more_than(40, 1, begin));
  const std::vector<size_t> names = all_next(turns, 1, begin);
  ASSERT_EQ(names.size(), 40u);
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(names[i], i);
  EXPECT_EQ(turns.waiting(), 0u);
}

TEST(ClientTurns, BesideOthersNoneHasMoreThanItsShareOnTheirWay) {
  ClientTurns turns;
  for (size_t name = 0; name < 40; ++name) turns.add(crowd, name, begin);
  turns.add(visitor, 100, begin);
  EXPECT_THAT(all_next(turns, 2, begin), ElementsAre(0, 100, 1, 2, 3)) << "two for each of two loops, in turns";
  EXPECT_TRUE(turns.more_than(4, 2, begin));
  EXPECT_FALSE(turns.more_than(5, 2, begin)) << "what cannot begin is nobody's part";
  EXPECT_EQ(turns.waiting(), 36u);
  turns.ended(crowd);
  EXPECT_THAT(all_next(turns, 2, begin), ElementsAre(4));
  turns.ended(visitor);
  EXPECT_EQ(turns.next(2, begin), std::nullopt) << "the place of another is not for it";
}

TEST(ClientTurns, WhoHasMuchOnItsWayLetsOthersByAndIsAloneAgainWhenTheyAreGone) {
  ClientTurns turns;
  for (size_t name = 0; name < 40; ++name) turns.add(crowd, name, begin);
  for (size_t name = 0; name < 20; ++name) ASSERT_EQ(turns.next(1, begin), name);
  const auto later = begin + milliseconds(900);
  turns.add(visitor, 100, later);
  EXPECT_THAT(all_next(turns, 1, later), ElementsAre(100));
  const auto soon = later + ClientTurns::there_for - milliseconds(1);
  EXPECT_EQ(turns.next(1, soon), std::nullopt);
  EXPECT_EQ(turns.next(1, later + ClientTurns::there_for), 20u);
}

TEST(ClientTurns, ThoseThatCameLongAfterEachOtherAreNotSeveral) {
  ClientTurns turns;
  turns.add(visitor, 100, begin);
  const auto later = begin + ClientTurns::there_for + milliseconds(1);
  for (size_t name = 0; name < 9; ++name) turns.add(crowd, name, later);
  EXPECT_EQ(all_next(turns, 1, later).size(), 10u);
}

TEST(ClientTurns, WhatIsForgottenHasNoTurn) {
  ClientTurns turns;
  turns.add(crowd, 0, begin);
  turns.add(crowd, 1, begin);
  turns.add(visitor, 100, begin);
  EXPECT_TRUE(turns.forget(crowd, 0));
  EXPECT_FALSE(turns.forget(crowd, 0));
  EXPECT_TRUE(turns.forget(visitor, 100));
  EXPECT_FALSE(turns.forget(visitor, 100)) << "a client of whom nothing is left";
  EXPECT_EQ(turns.next(1, begin), 1u);
  EXPECT_FALSE(turns.forget(crowd, 1)) << "it is on its way";
  turns.add(visitor, 101, begin);
  turns.add(crowd, 2, begin);
  EXPECT_THAT(turns.forget_all(), ElementsAre(2, 101));
  EXPECT_EQ(turns.waiting(), 0u);
  EXPECT_EQ(turns.next(1, begin), std::nullopt);
  turns.ended(crowd);
  EXPECT_FALSE(turns.more_than(0, 1, begin));
}

}  // namespace
}  // namespace hexapla::decode
