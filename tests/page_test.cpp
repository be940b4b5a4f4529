// The server's page in a real browser, tested by tests/page/page.py.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "base/files/test_folder.h"
#include "base/options/environment.h"
#include "base/test_paths.h"

namespace hexapla {
namespace {

struct PageInABrowser : TestFolder {
  static int run(const std::string& command) { return std::system(command.c_str()); }
};

TEST_F(PageInABrowser, ShowsWhatTheProgramComputes) {
  const char* const python = environment("HEXAPLA_BROWSER_PYTHON");
  if (!python) GTEST_SKIP() << "HEXAPLA_BROWSER_PYTHON names no Python that has playwright, beside a Chromium";
  const std::string program = build_path("hexapla");
  ASSERT_EQ(run(cat("'", program, "' demo --model '", at("model"), "' --max-updates 150 --quiet > /dev/null")), 0);
  EXPECT_EQ(run(cat("'", python, "' -B '", source_path("tests/page/page.py"), "' '", program, "' '", at("model"), "' '",
                    at("work"), "'")),
            0);
}

}  // namespace
}  // namespace hexapla
