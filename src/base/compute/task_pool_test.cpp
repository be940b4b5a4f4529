#include "base/compute/task_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace hexapla {
namespace {

TEST(TaskPool, FinishesItsQueue) {
  std::atomic<int> done = 0;
  {
    TaskPool pool(2);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(pool.post([&] { ++done; }));
    pool.post([] { throw std::runtime_error("lost"); });
  }
  EXPECT_EQ(done, 100);
}

TEST(TaskPool, LimitsItsQueue) {
  std::mutex held;
  held.lock();
  TaskPool pool(1, 1);
  std::atomic<bool> begun = false;
  EXPECT_TRUE(pool.post([&] {
    begun = true;
    const std::lock_guard wait(held);
  }));
  while (!begun) std::this_thread::yield();
  EXPECT_TRUE(pool.post([] {}));
  EXPECT_FALSE(pool.post([] {}));
  held.unlock();
}

}  // namespace
}  // namespace hexapla
