#include "base/system/machine.h"

#include <gmock/gmock.h>
#include <sched.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/system/child_process.h"

namespace hexapla {
namespace {

TEST(Machine, KnowsItself) {
  EXPECT_GT(physical_memory(), size_t{1} << 26);
  EXPECT_LE(usable_memory(), physical_memory());
  EXPECT_GT(usable_memory(), 0u);
  EXPECT_GT(resident_memory(), size_t{1} << 20);
  EXPECT_LT(resident_memory(), physical_memory());
  EXPECT_FALSE(processor_name().empty());
  EXPECT_THAT(build().version, testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(build().compiler, testing::ContainsRegex("[0-9]"));
  EXPECT_THAT(build().commit, testing::MatchesRegex("([0-9a-f]+(-dirty)?)?"));
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kAddressesAreTheSanitizers = true;
#else
constexpr bool kAddressesAreTheSanitizers = false;
#endif

// f() in a child process limited to `bytes`.
template <class F>
std::string limited(decltype(RLIMIT_AS) resource, size_t bytes, F f) {
  const ChildResult result = in_child_process([&] {
    const rlimit limit{bytes, bytes};
    return setrlimit(resource, &limit) == 0 ? f() : std::string("cannot set a limit");
  });
  return result.value.value_or("the child " + result.end);
}

TEST(Machine, ItsOwnLimitsCount) {
  if (kAddressesAreTheSanitizers) GTEST_SKIP() << "a sanitizer needs all addresses";
  if (usable_memory() <= size_t{2} << 30) GTEST_SKIP() << "this machine has less memory than the limits of the test";
  const auto usable = [] { return cat(usable_memory() >> 20, " ", what_limits_memory()); };
  EXPECT_EQ(limited(RLIMIT_AS, size_t{2} << 30, usable), "2048 ulimit -v");
  EXPECT_EQ(limited(RLIMIT_DATA, size_t{1} << 30, usable), "1024 ulimit -d");
}

TEST(Machine, SaysWhichLimitRefusedMemoryAndHowHighItShouldBe) {
  if (kAddressesAreTheSanitizers) GTEST_SKIP() << "a sanitizer needs all addresses";
  const auto why = [] { return why_memory_was_refused(size_t{4} << 30); };
  const std::string addresses = limited(RLIMIT_AS, size_t{2} << 30, why);
  EXPECT_THAT(addresses, testing::MatchesRegex("the limit of address space \\(ulimit -v\\) is 2097152 KiB, of which "
                                               "[0-9]+ are taken; raise it to [0-9]+ or more"));
  EXPECT_GT(std::stoll(addresses.substr(addresses.rfind("to ") + 3)), 4 << 20);
  EXPECT_THAT(limited(RLIMIT_DATA, size_t{2} << 30, why),
              testing::StartsWith("the limit of data (ulimit -d) is 2097152 KiB, of which "));
  EXPECT_THAT(limited(RLIMIT_AS, size_t{2} << 30, [] { return why_memory_was_refused(0); }),
              testing::EndsWith(" are taken; raise it"));
  EXPECT_THAT(why_memory_was_refused(1), testing::HasSubstr(" MiB"));
}

TEST(Machine, ProcessorsAreThoseItMayRunOn) {
  EXPECT_GE(usable_processors(), 1);
  const ChildResult result = in_child_process([] {
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof(all), &all);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
      if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    sched_setaffinity(0, sizeof(one), &one);
    const std::string n = cat(usable_processors());
    sched_setaffinity(0, sizeof(all), &all);
    return n;
  });
  EXPECT_EQ(result.value, "1");
}

}  // namespace
}  // namespace hexapla
