#include "base/compute/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace hexapla {
namespace {

// Known answers of Random123 1.14 (tests/kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, KnownAnswers) {
  using Block = std::array<uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint32_t f = 0xffffffff;
  EXPECT_EQ(philox({f, f, f, f}, {f, f}), (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, IsAConstantExpression) {
  static_assert(philox({0, 0, 0, 0}, {0, 0})[0] == 0x6627e8d5);
  SUCCEED();
}

std::vector<uint32_t> first(Random random, int n) {
  std::vector<uint32_t> numbers;
  for (int i = 0; i < n; ++i) numbers.push_back(random.next());
  return numbers;
}

TEST(Random, TheSequenceDependsOnSeedAndStreamAlone) {
  EXPECT_EQ(first(Random(1, 2), 100), first(Random(1, 2), 100));
  EXPECT_NE(first(Random(1, 2), 4), first(Random(2, 2), 4));
  EXPECT_NE(first(Random(1, 2), 4), first(Random(1, 3), 4));
  EXPECT_NE(first(Random(1), 4), first(Random(1 + (uint64_t{1} << 32)), 4));  // all 64 bits count
  EXPECT_NE(first(Random(1, 2), 4), first(Random(1, 2 + (uint64_t{1} << 32)), 4));
}

TEST(Random, GoesOnWithTheNextBlock) {
  const auto numbers = first(Random(0), 8);
  EXPECT_EQ(numbers[0], 0x6627e8d5u);
  EXPECT_EQ(numbers[3], 0x9b00dbd8u);
  EXPECT_EQ(numbers[4], philox({1, 0, 0, 0}, {0, 0})[0]);
}

// Means and variances within five standard errors; the sequence is fixed, so this never fails by chance.
TEST(Random, UniformHasItsMoments) {
  Random random(3);
  const int n = 100000;
  double sum = 0, squares = 0, least = 1, most = 0;
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform();
    sum += u, squares += u * u;
    least = std::min(least, u), most = std::max(most, u);
  }
  EXPECT_GT(least, 0);
  EXPECT_LT(most, 1);
  EXPECT_NEAR(sum / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n));
}

TEST(Random, NormalHasItsMoments) {
  Random random(4);
  const int n = 100000;
  double sum = 0, squares = 0, fourth = 0;
  for (int i = 0; i < n; ++i) {
    const double x = random.normal();
    ASSERT_TRUE(std::isfinite(x));
    sum += x, squares += x * x, fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96.0 / n));
}

TEST(Random, BelowFillsItsRangeEvenly) {
  Random random(5);
  std::vector<int> counts(7);
  const int n = 70000;
  for (int i = 0; i < n; ++i) ++counts.at(random.below(7));
  for (const int c : counts) EXPECT_NEAR(c, n / 7, 5 * std::sqrt(n / 7.0));
  EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, ShuffleIsAPermutationAndAllAreReached) {
  Random random(6);
  std::vector<int> items(100), sorted(100);
  std::iota(items.begin(), items.end(), 0);
  sorted = items;
  random.shuffle(items);
  EXPECT_NE(items, sorted);
  std::sort(items.begin(), items.end());
  EXPECT_EQ(items, sorted);

  std::vector<int> counts(6);  // the six orders of three items are equally frequent
  for (int i = 0; i < 6000; ++i) {
    std::array<int, 3> three{0, 1, 2};
    random.shuffle(three);
    ++counts[three[0] * 2 + (three[1] > three[2])];
  }
  for (const int c : counts) EXPECT_NEAR(c, 1000, 5 * std::sqrt(1000.0));
}

}  // namespace
}  // namespace hexapla
