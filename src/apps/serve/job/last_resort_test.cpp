// A process ends after a signal whatever its threads do.
#include "serve/job/last_resort.h"

#include <gtest/gtest.h>

#include <csignal>
#include <future>

namespace hexapla::serve {
namespace {

using std::chrono::milliseconds;

TEST(LastResort, EndsTheProcessAfterASignal) {
  std::promise<void> ended;
  const LastResort last(milliseconds(1), milliseconds(1), [&] { ended.set_value(); });
  raise(SIGTERM);
  EXPECT_EQ(ended.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

TEST(LastResort, ASecondSignalShortensTheTime) {
  std::promise<void> ended;
  const LastResort last(std::chrono::hours(1), milliseconds(1), [&] { ended.set_value(); });
  std::future<void> end = ended.get_future();
  raise(SIGTERM);
  EXPECT_EQ(end.wait_for(milliseconds(50)), std::future_status::timeout);
  raise(SIGTERM);
  EXPECT_EQ(end.wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

}  // namespace
}  // namespace hexapla::serve
