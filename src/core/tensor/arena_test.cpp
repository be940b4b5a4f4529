#include "tensor/arena.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace hexapla {
namespace {
using testing::AllOf;
using testing::HasSubstr;

bool aligned(const void* p) { return reinterpret_cast<uintptr_t>(p) % 64 == 0; }
ptrdiff_t distance(const void* from, const void* to) {
  return static_cast<const char*>(to) - static_cast<const char*>(from);
}

TEST(Arena, TwoStacksGrowTowardsEachOther) {
  Arena arena(8192);
  void *a = arena.keep(100), *b = arena.keep(1);
  void *x = arena.scratch(100), *y = arena.scratch(1);
  for (const void* p : {a, b, x, y}) EXPECT_TRUE(aligned(p));
  EXPECT_EQ(distance(a, b), 128);
  EXPECT_EQ(distance(y, x), 64);
  EXPECT_EQ(distance(a, x), 8192 - 128);
  std::memset(a, 1, 100), std::memset(x, 2, 100);  // the memory is writable
  EXPECT_EQ(arena.peak(), 128u + 64 + 128 + 64);
}

TEST(Arena, WhatIsReleasedIsWhatNeitherStackHolds) {
  Arena arena(1 << 20);
  auto* kept = static_cast<char*>(arena.keep(100'000));
  auto* scratch = static_cast<char*>(arena.scratch(100'000));
  std::memset(kept, 1, 100'000), std::memset(scratch, 2, 100'000);
  const Arena::Mark both = arena.mark();
  auto* more = static_cast<char*>(arena.keep(100'000));
  std::memset(more, 3, 100'000);
  arena.rewind(both);
  arena.release();
  EXPECT_EQ(std::count(kept, kept + 100'000, 1), 100'000);
  EXPECT_EQ(std::count(scratch, scratch + 100'000, 2), 100'000);
  EXPECT_EQ(std::count(more + 4096, more + 90'000, 0), 90'000 - 4096);
}

TEST(Arena, ScratchIsGivenBackWithItsFrame) {
  Arena arena(8192);
  void* kept = nullptr;
  void* inside = nullptr;
  {
    const Arena::Frame frame(arena);
    inside = arena.scratch(64);
    kept = arena.keep(64);
    {
      const Arena::Frame nested(arena);
      EXPECT_LT(arena.scratch(64), inside);
    }
  }
  EXPECT_EQ(arena.scratch(64), inside);
  EXPECT_EQ(distance(kept, arena.keep(64)), 64);  // kept memory outlives the frame
}

TEST(Arena, RewindsToAMark) {
  Arena arena(8192);
  arena.keep(64), arena.scratch(64);
  const Arena::Mark mark = arena.mark();
  void *a = arena.keep(64), *x = arena.scratch(64);
  arena.rewind(mark);
  EXPECT_EQ(arena.keep(64), a);
  EXPECT_EQ(arena.scratch(64), x);
  arena.clear();
  EXPECT_EQ(distance(arena.keep(64), a), 64);
}

TEST(Arena, PeakIsTheMostThatWasInUse) {
  Arena arena(8192);
  {
    const Arena::Frame frame(arena);
    arena.scratch(1024);
  }
  arena.keep(64);
  EXPECT_EQ(arena.peak(), 1024u);
  arena.keep(1024);
  EXPECT_EQ(arena.peak(), 1088u);
  arena.reset_peak();
  EXPECT_EQ(arena.peak(), 0u);
  arena.scratch(64);
  EXPECT_EQ(arena.peak(), 1152u);
}

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const RunError& e) {
    return e.what();
  }
  return "(no error)";
}

TEST(Arena, SaysThatItIsFull) {
  const auto full = AllOf(HasSubstr("1 MiB is full"), HasSubstr("`batch-tokens`"));
  EXPECT_THAT(refusal([] { Arena(1 << 20).keep(2 << 20); }), full);
  EXPECT_THAT(refusal([] { Arena(1 << 20).scratch(2 << 20); }), full);
  EXPECT_THAT(refusal([] {
                Arena arena(1 << 20);
                arena.keep(600 << 10), arena.scratch(600 << 10);
              }),
              full);
  EXPECT_THAT(refusal([] {
                Arena arena(1 << 20);
                for (int i = 0; i < 100; ++i) arena.scratch(64 << 10);
              }),
              full);
}

TEST(Arena, WhatFitsIsGiven) {
  Arena arena(1 << 20);
  arena.keep((1 << 20) - 128);
  EXPECT_NO_THROW(arena.scratch(64));
}

TEST(Arena, MoreThanTheAddressSpaceIsRefused) {
  EXPECT_THAT(refusal([] { Arena arena(size_t{1} << 60); }), HasSubstr("cannot reserve"));
}

TEST(Arena, UntouchedPagesCostNothing) {
  Arena arena(size_t{64} << 30);  // far more than most machines have
  *static_cast<char*>(arena.keep(1)) = 1;
  EXPECT_EQ(arena.capacity(), size_t{64} << 30);
}

TEST(Arena, Moves) {
  Arena first(8192);
  char* a = static_cast<char*>(first.keep(64));
  *a = 'a';
  Arena second = std::move(first);
  EXPECT_EQ(*a, 'a');
  EXPECT_EQ(distance(a, second.keep(64)), 64);
  EXPECT_EQ(second.peak(), 128u);
}

}  // namespace
}  // namespace hexapla
