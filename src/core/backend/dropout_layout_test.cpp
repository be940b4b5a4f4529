#include "backend/dropout_layout.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace hexapla::dropout_layout {
namespace {

// Computed by hand: with other values, trainings could not be resumed as they began.
TEST(DropoutLayout, IsTheOneThatTrainingsBeganWith) {
  struct {
    int64_t column;
    uint32_t c;
    int64_t word, half;
  } const known[] = {{0, 0, 0, 0}, {17, 1, 0, 1}, {47, 15, 1, 0}, {127, 15, 3, 1}, {128, 16, 0, 0}, {200, 24, 2, 0}};
  for (const auto& k : known) {
    const Bits bits = bits_of(k.column);
    EXPECT_EQ(bits.c, k.c) << k.column;
    EXPECT_EQ(bits.word, k.word) << k.column;
    EXPECT_EQ(bits.half, k.half) << k.column;
  }
  const Element weight = weight_element(14, 40, 2, 8);  // query 2 of tile 3, key 8 of tile 1
  EXPECT_EQ(weight.row, 26);
  EXPECT_EQ(weight.column, 200);
}

TEST(DropoutLayout, NoTwoElementsShareBits) {
  std::set<std::tuple<uint32_t, int64_t, int64_t>> bits;
  for (int64_t column = 0; column < 5 * kGroup; ++column) {
    const Bits b = bits_of(column);
    EXPECT_TRUE(bits.emplace(b.c, b.word, b.half).second) << column;
  }
  std::set<std::tuple<int64_t, int64_t>> elements;
  for (int64_t query = 0; query < 9; ++query)
    for (int64_t head = 0; head < 3; ++head)
      for (int64_t key = 0; key < 70; ++key) {
        const Element e = weight_element(query, key, head, 3);
        EXPECT_TRUE(elements.emplace(e.row, e.column).second) << query << ' ' << head << ' ' << key;
      }
}

}  // namespace
}  // namespace hexapla::dropout_layout
