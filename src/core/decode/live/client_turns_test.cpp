#include "decode/live/client_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace hexapla::decode {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

constexpr uint64_t kCrowd = 7, kVisitor = 8;
const ClientTurns::Clock::time_point kBegin{std::chrono::hours(1)};

std::vector<size_t> all_next(ClientTurns& turns, size_t loops, ClientTurns::Clock::time_point now) {
  std::vector<size_t> names;
  while (const auto name = turns.next(loops, now)) names.push_back(*name);
  return names;
}

TEST(ClientTurns, AClientThatIsAloneHasAllInOrder) {
  ClientTurns turns;
  for (size_t name = 0; name < 40; ++name) turns.add(kCrowd, name, kBegin);
  EXPECT_TRUE(turns.more_than(39, 1, kBegin));
  EXPECT_FALSE(turns.more_than(40, 1, kBegin));
  const std::vector<size_t> names = all_next(turns, 1, kBegin);
  ASSERT_EQ(names.size(), 40u);
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(names[i], i);
  EXPECT_EQ(turns.waiting(), 0u);
}

TEST(ClientTurns, BesideOthersNoneHasMoreThanItsShareOnTheirWay) {
  ClientTurns turns;
  for (size_t name = 0; name < 40; ++name) turns.add(kCrowd, name, kBegin);
  turns.add(kVisitor, 100, kBegin);
  EXPECT_THAT(all_next(turns, 2, kBegin), ElementsAre(0, 100, 1, 2, 3)) << "two for each of two loops, in turns";
  EXPECT_TRUE(turns.more_than(4, 2, kBegin));
  EXPECT_FALSE(turns.more_than(5, 2, kBegin)) << "what cannot begin is nobody's part";
  EXPECT_EQ(turns.waiting(), 36u);
  turns.ended(kCrowd);
  EXPECT_THAT(all_next(turns, 2, kBegin), ElementsAre(4));
  turns.ended(kVisitor);
  EXPECT_EQ(turns.next(2, kBegin), std::nullopt) << "the place of another is not for it";
}

TEST(ClientTurns, WhoHasMuchOnItsWayLetsOthersByAndIsAloneAgainWhenTheyAreGone) {
  ClientTurns turns;
  for (size_t name = 0; name < 40; ++name) turns.add(kCrowd, name, kBegin);
  for (size_t name = 0; name < 20; ++name) ASSERT_EQ(turns.next(1, kBegin), name);
  const auto later = kBegin + milliseconds(900);
  turns.add(kVisitor, 100, later);
  EXPECT_THAT(all_next(turns, 1, later), ElementsAre(100));
  const auto soon = later + ClientTurns::kPresentFor - milliseconds(1);
  EXPECT_EQ(turns.next(1, soon), std::nullopt);
  EXPECT_EQ(turns.next(1, later + ClientTurns::kPresentFor), 20u);
}

TEST(ClientTurns, ThoseThatCameLongAfterEachOtherAreNotSeveral) {
  ClientTurns turns;
  turns.add(kVisitor, 100, kBegin);
  const auto later = kBegin + ClientTurns::kPresentFor + milliseconds(1);
  for (size_t name = 0; name < 9; ++name) turns.add(kCrowd, name, later);
  EXPECT_EQ(all_next(turns, 1, later).size(), 10u);
}

TEST(ClientTurns, WhatIsForgottenHasNoTurn) {
  ClientTurns turns;
  turns.add(kCrowd, 0, kBegin);
  turns.add(kCrowd, 1, kBegin);
  turns.add(kVisitor, 100, kBegin);
  EXPECT_TRUE(turns.forget(kCrowd, 0));
  EXPECT_FALSE(turns.forget(kCrowd, 0));
  EXPECT_TRUE(turns.forget(kVisitor, 100));
  EXPECT_FALSE(turns.forget(kVisitor, 100)) << "a client of whom nothing is left";
  EXPECT_EQ(turns.next(1, kBegin), 1u);
  EXPECT_FALSE(turns.forget(kCrowd, 1)) << "it is on its way";
  turns.add(kVisitor, 101, kBegin);
  turns.add(kCrowd, 2, kBegin);
  EXPECT_THAT(turns.forget_all(), ElementsAre(2, 101));
  EXPECT_EQ(turns.waiting(), 0u);
  EXPECT_EQ(turns.next(1, kBegin), std::nullopt);
  turns.ended(kCrowd);
  EXPECT_FALSE(turns.more_than(0, 1, kBegin));
}

}  // namespace
}  // namespace hexapla::decode
