#include "base/options/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace hexapla {
namespace {

// Tests run in processes of their own, so what they set stays with them.
TEST(Environment, AnEmptyVariableIsAnUnsetOne) {
  setenv("HEXAPLA_ANY", "", 1);
  EXPECT_EQ(environment("HEXAPLA_ANY"), nullptr);
  setenv("HEXAPLA_ANY", "ไทย", 1);
  EXPECT_STREQ(environment("HEXAPLA_ANY"), "ไทย");
  unsetenv("HEXAPLA_ANY");
  EXPECT_EQ(environment("HEXAPLA_ANY"), nullptr);
}

TEST(Environment, TheCacheIsWhereTheDesktopsRuleSays) {
  setenv("HOME", "/甲", 1);
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(cache_folder("demo"), "/cache/hexapla/demo");
  for (const char* ignored : {"", "relative"}) {
    setenv("XDG_CACHE_HOME", ignored, 1);
    EXPECT_EQ(cache_folder("demo"), "/甲/.cache/hexapla/demo");
  }
  setenv("HOME", "", 1);
  EXPECT_EQ(cache_folder("demo"), "");
}

}  // namespace
}  // namespace hexapla
