#include "base/system/child_process.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <new>
#include <stdexcept>
#include <thread>

#include "base/error.h"

namespace hexapla {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool kThereIsAChild = false;
#else
constexpr bool kThereIsAChild = true;
#endif

class Child : public testing::Test {
 protected:
  void SetUp() override {
    if (!kThereIsAChild) GTEST_SKIP() << "under ThreadSanitizer the work is done in this process";
  }
};

TEST_F(Child, ComputesWhatThisProcessGets) {
  const std::string large(3'000'000, 'x');  // more than a pipe holds at a time
  int here = 0;
  const ChildResult result = in_child_process([&] {
    here = 1;
    return large + std::to_string(getpid());
  });
  ASSERT_TRUE(result.value);
  EXPECT_EQ(result.value->substr(0, large.size()), large);
  EXPECT_NE(result.value->substr(large.size()), std::to_string(getpid()));
  EXPECT_EQ(here, 0);
  EXPECT_EQ(in_child_process([] { return std::string(); }).value, "");
}

TEST_F(Child, LackOfMemoryEndsOnlyTheChild) {
  EXPECT_EQ(in_child_process([]() -> std::string { throw std::bad_alloc(); }).end, "had too little memory");
  const auto in_a_thread = [](auto error) {
    return in_child_process([&]() -> std::string {
             std::thread([&] { throw error; }).join();
             return "it went on";
           })
        .end;
  };
  testing::internal::CaptureStderr();
  EXPECT_EQ(in_a_thread(std::bad_alloc()), "had too little memory");
  EXPECT_EQ(in_a_thread(3), "failed in one of its threads");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Child, ThatIsKilledIsSaidToBe) {
  const auto killed_by = [](int signal) {
    return in_child_process([&] {
             raise(signal);
             return std::string();
           })
        .end;
  };
  EXPECT_THAT(killed_by(SIGKILL), testing::StartsWith("was killed by the system"));
  EXPECT_EQ(killed_by(SIGUSR1), "was killed by signal 10");
}

TEST_F(Child, ItsOtherExceptionsComeOut) {
  try {
    in_child_process([]() -> std::string { throw std::logic_error("no such thing"); });
    FAIL() << "nothing was thrown";
  } catch (const RunError& e) {
    EXPECT_STREQ(e.what(), "no such thing");
  }
}

TEST_F(Child, IsDoneWithoutWhereSignalsOfChildrenAreIgnored) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(in_child_process([] { return std::string("well"); }).value, "well");
  std::signal(SIGCHLD, before);
}

}  // namespace
}  // namespace hexapla
