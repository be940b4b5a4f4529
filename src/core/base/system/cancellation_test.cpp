#include "base/system/cancellation.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/system/child_process.h"
#include "base/system/subprocess.h"

namespace hexapla {
namespace {

struct Cancellation : TestFolder {
  std::atomic<bool> stop = true;
};

TEST_F(Cancellation, TheInnermostScopeOfAThreadDecides) {
  EXPECT_NO_THROW(check_canceled());
  const CancelScope outer(&stop);
  EXPECT_THROW(check_canceled(), Canceled);
  {
    const CancelScope inner(nullptr);
    EXPECT_NO_THROW(check_canceled());
    EXPECT_EQ(wait_between_looks(), -1);
  }
  EXPECT_TRUE(canceled());
  stop = false;
  EXPECT_FALSE(canceled());
  std::thread([] { EXPECT_EQ(cancel_flag(), nullptr); }).join();
}

#ifndef __SANITIZE_THREAD__
// Without cancellation this test never ends.
TEST_F(Cancellation, EndsAChildThatWouldGoOnForEver) {
  stop = false;
  const CancelScope scope(&stop);
  std::thread later([&] { stop = true; });
  EXPECT_THROW(in_child_process([] {
                 for (;;) pause();
                 return std::string();
               }),
               Canceled);
  later.join();
}
#endif

TEST_F(Cancellation, EndsAProgramThatWouldGoOn) {
  const CancelScope scope(&stop);
  EXPECT_THROW(run_to_end({{"sleep", "1000000"}, at("errors"), 0}), Canceled);
}

}  // namespace
}  // namespace hexapla
