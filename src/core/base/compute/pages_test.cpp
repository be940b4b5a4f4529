#include "base/compute/pages.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <new>
#include <string>
#include <utility>

namespace hexapla {
namespace {

constexpr size_t kMebibyte = size_t{1} << 20;

// The line of /proc/self/smaps that begins with `key`, for the mapping that holds p.
std::string line_of_mapping(const void* p, const std::string& key) {
  std::ifstream maps("/proc/self/smaps");
  const auto address = reinterpret_cast<uintptr_t>(p);
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    const size_t dash = line.find('-'), space = line.find(' ');
    if (dash < space && line.find(':') > space)
      here = std::stoull(line, nullptr, 16) <= address && address < std::stoull(line.substr(dash + 1), nullptr, 16);
    if (here && line.starts_with(key)) return line;
  }
  return {};
}

TEST(Pages, AreZeros) {
  for (const size_t bytes : {size_t{1}, size_t{4096}, 2 * kMebibyte - 1, 2 * kMebibyte, 5 * kMebibyte + 3}) {
    const Pages p(bytes);
    EXPECT_EQ(p.size(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p.data()) % 64, 0u) << bytes;
    EXPECT_TRUE(std::all_of(p.data(), p.data() + bytes, [](std::byte b) { return b == std::byte{0}; })) << bytes;
    std::fill_n(p.data(), bytes, std::byte{1});  // all of it is writable
  }
}

TEST(Pages, OfNothing) {
  const Pages none, empty(0);
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(empty.data(), nullptr);
}

TEST(Pages, ManyAskForHugePages) {
  const Pages many(64 * kMebibyte), few(kMebibyte);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(many.data()) % (2 * kMebibyte), 0u);
  const std::string flags = line_of_mapping(many.data(), "VmFlags:");
  if (flags.empty()) GTEST_SKIP() << "/proc/self/smaps does not tell the flags of mappings";
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) GTEST_SKIP() << "this system has no huge pages";
  EXPECT_THAT(flags, testing::HasSubstr(" hg"));
  EXPECT_THAT(line_of_mapping(few.data(), "VmFlags:"), testing::Not(testing::HasSubstr(" hg")));
}

TEST(Pages, WhatIsForgottenIsZeroAndTakesNoMemory) {
  Pages p(8 * kMebibyte + 5);
  std::fill_n(p.data(), p.size(), std::byte{1});
  p.forget(2 * kMebibyte + 1, 8 * kMebibyte);
  EXPECT_EQ(p.data()[2 * kMebibyte], std::byte{1});
  EXPECT_EQ(p.data()[3 * kMebibyte], std::byte{0});
  EXPECT_EQ(p.data()[8 * kMebibyte], std::byte{1});
  p.data()[3 * kMebibyte] = std::byte{2};  // still usable
  p.forget(0, p.size());
  p.forget(5, 5);
  EXPECT_EQ(p.data()[3 * kMebibyte], std::byte{0});
  if (const std::string line = line_of_mapping(p.data(), "Rss:"); !line.empty()) {
    size_t kib = 0;
    std::sscanf(line.c_str(), "Rss: %zu", &kib);
    EXPECT_LE(kib, 2048u + 4) << line;  // the page just read, and the last page, which is only partly ours
  }
  Pages none;
  none.forget(0, 0);
}

// Untouched memory takes addresses only.
TEST(Pages, MayBeMoreThanThereAre) {
  const Pages p(size_t{1} << 42);
  p.data()[p.size() - 1] = std::byte{1};
  EXPECT_EQ(p.data()[p.size() - 1], std::byte{1});
}

TEST(Pages, TooManyAddressesAreRefused) { EXPECT_THROW(Pages(std::numeric_limits<size_t>::max() / 2), std::bad_alloc); }

// The kernel does the read, so unmapped memory is reported as an error instead of a signal.
bool readable(const std::byte* p) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const bool can = write(ends[1], p, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return can;
}

TEST(Pages, GivenBackKeepTheirPlace) {
  Pages p(4 * kMebibyte), few(100);
  for (Pages* pages : {&p, &few}) {
    std::byte* const address = pages->data();
    address[0] = std::byte{1};
    EXPECT_TRUE(readable(address));
    pages->give_back();
    EXPECT_EQ(pages->data(), address);
    EXPECT_FALSE(readable(address));
    pages->give_back();  // a second call does nothing
  }
  Pages().give_back();
}

TEST(Pages, AreMoved) {
  Pages a(4 * kMebibyte), b(100);
  std::byte *const first = a.data(), *const second = b.data();
  first[0] = std::byte{1};
  b = std::move(a);
  EXPECT_EQ(b.data(), first);
  EXPECT_EQ(b.size(), 4 * kMebibyte);
  EXPECT_EQ(a.data(), second);  // swapped by the move
  const Pages c(std::move(b));
  EXPECT_EQ(c.data()[0], std::byte{1});
  EXPECT_EQ(b.data(), nullptr);
}

}  // namespace
}  // namespace hexapla
