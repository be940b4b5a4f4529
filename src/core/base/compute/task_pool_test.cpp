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
  const auto owned = std::make_shared<int>();
  const std::uint64_t waiting = pool.post([owned] {});
  EXPECT_TRUE(waiting);
  EXPECT_FALSE(pool.post([] {}));
  pool.withdraw(waiting);
  EXPECT_EQ(owned.use_count(), 1) << "all that the task had is free";
  EXPECT_EQ(pool.waiting(), 0u);
  std::atomic<bool> later = false;
  EXPECT_TRUE(pool.post([&] { later = true; }));
  pool.withdraw(waiting);
  held.unlock();
  while (!later) std::this_thread::yield();
}

}  // namespace
}  // namespace hexapla
