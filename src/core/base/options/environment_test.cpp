#include "base/options/environment.h"

#include <gtest/gtest.h>

#include "base/options/test_environment.h"

namespace hexapla {
namespace {

TEST(EnvironmentVariables, AnEmptyOneIsUnset) {
  EXPECT_EQ(environment("HEXAPLA_ANY"), nullptr);
  const Environment thai("HEXAPLA_ANY", "ไทย");
  EXPECT_STREQ(environment("HEXAPLA_ANY"), "ไทย");
  const Environment empty("HEXAPLA_ANY", "");
  EXPECT_EQ(environment("HEXAPLA_ANY"), nullptr);
}

TEST(EnvironmentVariables, TheCacheIsWhereTheDesktopsRuleSays) {
  const Environment home("HOME", "/甲");
  {
    const Environment cache("XDG_CACHE_HOME", "/cache");
    EXPECT_EQ(cache_folder("demo"), "/cache/hexapla/demo");
  }
  for (const char* ignored : {"", "relative"}) {
    const Environment cache("XDG_CACHE_HOME", ignored);
    EXPECT_EQ(cache_folder("demo"), "/甲/.cache/hexapla/demo");
  }
  const Environment no_cache("XDG_CACHE_HOME", ""), no_home("HOME", "");
  EXPECT_EQ(cache_folder("demo"), "");
}

}  // namespace
}  // namespace hexapla
