#include "base/range.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error.h"

namespace hexapla {
namespace {

constexpr Range<int64_t> kHypotheses{1, 1000};
constexpr Range<int64_t> kTokens{.least = 1, .most = 8, .zero = "auto"};
constexpr Range<double> kShare{.least = 0, .most = 1, .open_least = true};
constexpr Range<double> kJump{.least = 1, .most = 100, .or_zero = true};

template <class F>
std::string refused(F&& f) {
  try {
    f();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "";
}

TEST(Range, SaysWhatIsAllowed) {
  EXPECT_EQ(kHypotheses.text(), "from 1 to 1000");
  EXPECT_EQ(kTokens.text(), "auto, or from 1 to 8");
  EXPECT_EQ(kShare.text(), "above 0 and at most 1");
  EXPECT_EQ(ranges::kBelow1.text(), "at least 0 and below 1");
  EXPECT_EQ(kJump.text(), "0, or from 1 to 100");
  EXPECT_EQ(ranges::kSeed.text(), "at least 0");
  EXPECT_EQ((Range<double>{0.98, 1e6}.text()), "from 0.98 to 1000000");
  EXPECT_EQ(ranges::kFrom0.text(), "from 0 to 1e+38");
}

TEST(Range, RefusesWithOneMessage) {
  EXPECT_EQ(refused([] { kHypotheses.check("beam-size", 1001); }),
            "`beam-size` is 1001, but must be a whole number from 1 to 1000");
  EXPECT_EQ(refused([] { kHypotheses.parse("beam-size", "many"); }),
            "`beam-size` is 'many', but must be a whole number from 1 to 1000");
  EXPECT_EQ(refused([] { kJump.check("max-loss-jump", 0.5); }),
            "`max-loss-jump` is 0.5, but must be 0, or a number from 1 to 100");
  EXPECT_EQ(refused([] { kShare.check("top-p", -std::nan("")); }),
            "`top-p` is nan, but must be a number above 0 and at most 1");
  EXPECT_EQ(refused([] { check_choice({"a", "b"}, "way", "c"); }), "`way` is 'c', but must be one of: a, b");
}

TEST(Range, EndsAreAllowedUnlessTheyAreOpen) {
  for (const int64_t n : {1, 1000}) EXPECT_EQ(refused([&] { kHypotheses.check("x", n); }), "");
  EXPECT_TRUE(kShare.has(1) && !kShare.has(0) && ranges::kBelow1.has(0) && !ranges::kBelow1.has(1));
  EXPECT_TRUE(kJump.has(0) && !kJump.has(0.5) && kJump.has(1));
}

TEST(Range, KnowsItsNeighbors) {
  EXPECT_EQ(kHypotheses.outside(), (std::vector<std::string>{"0", "1001"}));
  EXPECT_EQ(kShare.outside(), (std::vector<std::string>{"0", "1.0000000000000002"}));
  EXPECT_EQ(ranges::kSeed.outside(), std::vector<std::string>{});
  for (const std::string& word : kShare.outside()) EXPECT_NE(refused([&] { kShare.parse("x", word); }), "") << word;
}

TEST(Range, ReadsWholeWordsThatTheTypeHas) {
  EXPECT_EQ(kHypotheses.parse("x", "7"), 7);
  for (const char* ten : {"10", "010", "0000010"}) EXPECT_EQ(kHypotheses.parse("x", ten), 10);
  EXPECT_EQ(kHypotheses.parse("x", "08"), 8);
  EXPECT_EQ(ranges::kSeed.parse("x", "18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(ranges::kFrom0.parse("x", "+3e-4"), 3e-4);
  EXPECT_EQ(kTokens.parse("x", "auto"), 0);
  for (const char* word :
       {"",    " ",  "x",  "1x",  "1.5", "1e3",   "nan",   "inf", "99999999999999999999", "-1", "+7", "0x1f",
        "0b1", " 7", "7 ", "\t7", "7\n", "1_000", "1,000", "٧"}) {
    EXPECT_NE(refused([&] { kHypotheses.parse("x", word); }), "") << word;
    EXPECT_NE(refused([&] { kTokens.parse("x", word); }), "") << word;
  }
  EXPECT_NE(refused([] { kTokens.parse("x", "0"); }), "") << "auto is written out";
  for (const char* word : {"", "-1", "18446744073709551616", "1.0"})
    EXPECT_NE(refused([&] { ranges::kSeed.parse("x", word); }), "") << word;
  for (const char* word : {"", "x", "1,5", "nan", "-nan", "inf", "1e400", "-1e-5"})
    EXPECT_NE(refused([&] { ranges::kFrom0.parse("x", word); }), "") << word;
}

}  // namespace
}  // namespace hexapla
