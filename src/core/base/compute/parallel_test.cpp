#include "base/compute/parallel.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/compute/thread_count.h"
#include "base/error.h"

namespace hexapla {
namespace {

class Parallel : public testing::TestWithParam<int> {
 protected:
  Parallel() : before_(threads()) { use_threads(GetParam()); }
  ~Parallel() override { use_threads(before_); }

 private:
  int before_;
};
INSTANTIATE_TEST_SUITE_P(Threads, Parallel, testing::Values(1, 2, 3, 8));

TEST_P(Parallel, ACountHoldsForAsLongAsItLives) {
  {
    const ThreadCount own(5);
    EXPECT_EQ(threads(), 5);
    const ThreadCount inner(0);
    EXPECT_EQ(threads(), 5);
  }
  EXPECT_EQ(threads(), GetParam());
  EXPECT_THROW(ThreadCount(-1), UsageError);
  EXPECT_EQ(threads(), GetParam());
}

TEST_P(Parallel, EveryChunkRunsOnce) {
  EXPECT_EQ(threads(), GetParam());
  for (const int64_t chunks : {0, 1, 2, 7, 1000}) {
    std::vector<std::atomic<int>> done(static_cast<size_t>(chunks));
    parallel_for(chunks, [&](int64_t i) { ++done.at(static_cast<size_t>(i)); });
    for (const auto& d : done) EXPECT_EQ(d, 1);
  }
  parallel_for(-1, [](int64_t) { FAIL(); });
}

// Each chunk sums its own range, and the sums are added in order, so the result does not depend on
// the number of threads.
TEST_P(Parallel, TheSameBitsForAnyNumberOfThreads) {
  const auto sum = [] {
    std::vector<float> chunks(64);
    parallel_for(64, [&](int64_t chunk) {
      float s = 0;
      for (int i = 0; i < 1000; ++i) s += std::sin(static_cast<float>(chunk * 1000 + i));
      chunks[chunk] = s;
    });
    float total = 0;
    for (const float p : chunks) total += p;
    return total;
  };
  const float here = sum();
  use_threads(1);
  EXPECT_EQ(sum(), here);
}

// Simulates a core that is busy elsewhere: one thread sleeps in its first chunk until the others
// are done.
TEST_P(Parallel, OthersTakeWhatASlowThreadHasNotBegun) {
  if (GetParam() == 1) return;  // no other thread could help
  std::atomic<int> done = 0;
  parallel_for(100, [&](int64_t i) {
    for (const auto start = std::chrono::steady_clock::now(); i == 0 && done < 99;) {
      if (std::chrono::steady_clock::now() - start > std::chrono::seconds(30))
        break;  // a failure, not a test that hangs
      std::this_thread::yield();
    }
    if (i > 0)
      ++done;
    else
      EXPECT_EQ(done, 99);
  });
}

TEST_P(Parallel, AnErrorInAChunkComesOut) {
  std::string what;
  try {
    parallel_for(100, [](int64_t i) {
      if (i == 57) throw std::runtime_error("piece 57");
    });
  } catch (const std::runtime_error& e) {
    what = e.what();
  }
  EXPECT_EQ(what, "piece 57");
  EXPECT_THROW(parallel_for(50, [](int64_t) { throw 3; }), int);  // many throw at once: one is rethrown
  std::atomic<int> done = 0;                                      // and the threads still work
  parallel_for(100, [&](int64_t) { ++done; });
  EXPECT_EQ(done, 100);
}

TEST_P(Parallel, InsideOfAnotherItRunsInOrder) {
  std::vector<std::vector<int64_t>> seen(8);
  parallel_for(8, [&](int64_t outer) { parallel_for(5, [&](int64_t inner) { seen[outer].push_back(inner); }); });
  for (const auto& s : seen) EXPECT_EQ(s, (std::vector<int64_t>{0, 1, 2, 3, 4}));
}

TEST(ParallelDefault, LessThanOneThreadMeansEveryCore) {
  const int before = threads();
  use_threads(0);
  EXPECT_GE(threads(), 1);
  use_threads(before);
}

// The exit code of the child, or -1 if a signal ended it; alarm() ends a child that hangs.
template <class F>
int exit_code_of_child(F&& f) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    std::_Exit(f() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int64_t sum_of_squares(int64_t n) {
  std::vector<int64_t> squares(static_cast<size_t>(n));
  parallel_for(n, [&](int64_t i) { squares[i] = i * i; });
  return std::accumulate(squares.begin(), squares.end(), int64_t{0});
}

TEST(ParallelFork, AChildWithoutItsParentsThreadsGoesOnWithOne) {
  const int before = threads();
  use_threads(4);
  const int64_t here = sum_of_squares(1000);  // starts the threads
  const auto as_here = [&] { return threads() == 1 && sum_of_squares(1000) == here; };
  EXPECT_EQ(exit_code_of_child(as_here), 0);
  EXPECT_EQ(exit_code_of_child([&] {
              use_threads(3);  // asks in vain: the child has one thread
              return as_here() && exit_code_of_child(as_here) == 0;
            }),
            0);
  EXPECT_EQ(sum_of_squares(1000), here);
  EXPECT_EQ(threads(), 4);
  use_threads(before);
}

TEST(ParallelFork, AChildOfAProcessWithOneThreadMayHaveMore) {
  if (std::filesystem::hard_link_count("/proc/self/task") != 3) GTEST_SKIP() << "this process has threads already";
  EXPECT_EQ(exit_code_of_child([] {
              use_threads(3);
              return threads() == 3 && sum_of_squares(100) == 328350;
            }),
            0);
}

TEST(ParallelLimits, WhereNotAllThreadsStartFewerDoTheWork) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs all addresses";
#elif defined(__clang__)
  GTEST_SKIP() << "Clang's OpenMP ends a program that has no memory for its threads";
#endif
  if (std::filesystem::hard_link_count("/proc/self/task") != 3) GTEST_SKIP() << "a child would have one thread";
  EXPECT_EQ(exit_code_of_child([] {
              size_t pages = 0;
              std::ifstream("/proc/self/statm") >> pages;
              const rlim_t bytes = pages * 4096 + (rlim_t{64} << 20);  // stacks of a few threads
              const rlimit limit{bytes, bytes};
              setrlimit(RLIMIT_AS, &limit);
              use_threads(200);
              return sum_of_squares(1000) == 332833500;
            }),
            0);
}

TEST(Parallel, NumbersOfThreadsHaveARange) {
  for (const int n : {-1, 4097, 120'000, std::numeric_limits<int>::max()})
    EXPECT_THROW(use_threads(n), UsageError) << n;
}

}  // namespace
}  // namespace hexapla
