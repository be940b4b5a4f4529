#include "data/batches/line_counts.h"

#include <gmock/gmock.h>

namespace hexapla::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kShares[] = {0.5, 0.9, 0.99, 1};

TEST(LineCounts, LengthsAreTheLeastThatSoManyLinesDoNotExceed) {
  LineCounts counts;
  EXPECT_THAT(counts.lengths(0, kShares), IsEmpty());
  for (size_t n = 1; n <= 100; ++n) counts.add(n, 7, n % 4 == 0);
  EXPECT_THAT(counts.lengths(0, kShares), ElementsAre(50, 90, 99, 100));
  EXPECT_THAT(counts.lengths(1, kShares), ElementsAre(7, 7, 7, 7));
  EXPECT_EQ(counts.several, 25);
}

TEST(LineCounts, ThoseOfSeveralProcessesAreThoseOfOne) {
  LineCounts one, first, second;
  for (size_t n = 1; n <= 60; ++n) {
    one.add(n, 2 * n, n > 50);
    (n % 3 ? first : second).add(n, 2 * n, n > 50);
  }
  first.add(LineCounts::from_numbers(second.numbers()));
  EXPECT_EQ(first.of_length, one.of_length);
  EXPECT_EQ(first.lines, one.lines);
  EXPECT_EQ(first.several, one.several);
}

}  // namespace
}  // namespace hexapla::data
