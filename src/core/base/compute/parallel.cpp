#include "base/compute/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <latch>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/compute/thread_count.h"
#include "base/range.h"
#include "base/system/machine.h"

// libgomp is not instrumented, so ThreadSanitizer cannot see its barriers; they are annotated here.
// run_parallel hands its own frame to the team before the first barrier, so that function is not
// instrumented.
#if defined(__SANITIZE_THREAD__)
extern "C" {
void __tsan_acquire(void*);
void __tsan_release(void*);
}
#define HEXAPLA_TSAN_RELEASE(p) __tsan_release(p)
#define HEXAPLA_TSAN_ACQUIRE(p) __tsan_acquire(p)
#define HEXAPLA_TSAN_UNWATCHED __attribute__((no_sanitize("thread")))
#else
#define HEXAPLA_TSAN_RELEASE(p) static_cast<void>(p)
#define HEXAPLA_TSAN_ACQUIRE(p) static_cast<void>(p)
#define HEXAPLA_TSAN_UNWATCHED
#endif

namespace hexapla {

namespace {

// alone: this is the child of a process that had several threads when it called fork(). The child
// has none of them, and the OpenMP runtime would wait for them for ever, so it continues with one
// thread.
std::atomic<bool> had_several = false, alone = false;

void before_fork() {  // the directory has a link for itself, its parent and each thread
  struct stat tasks {};
  had_several = stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink != 3;
}
void after_fork() {
  if (had_several) alone = true;
}
const int watches_forks = pthread_atfork(before_fork, nullptr, after_fork);

thread_local int chosen = 0;  // 0: not chosen

int default_threads() {
  static const int most =
      std::getenv("OMP_NUM_THREADS") ? static_cast<int>(ranges::kThreads.most) : usable_processors();
  return std::min(omp_get_max_threads(), most);
}

// How many threads of a team of n, including the caller, can be started. The OpenMP runtime ends
// the process if a thread cannot be started, so this tries it with plain threads first.
int threads_that_start(int n) {
  thread_local int asked = 1, started = 1;
  if (n <= started || n == asked) return std::min(n, started);
  std::latch all_started(1);
  std::vector<std::thread> others;
  try {
    others.reserve(static_cast<size_t>(n));
    while (static_cast<int>(others.size()) < n - 1) others.emplace_back([&] { all_started.wait(); });
  } catch (const std::exception&) {  // use as many as started: no result depends on the number
  }
  all_started.count_down();
  for (std::thread& t : others) t.join();
  asked = n;
  started = static_cast<int>(others.size()) + 1;
  return started;
}

// By default, waiting OpenMP threads spin for milliseconds (docs/adr/0005): next to another busy
// program, training runs at a tenth of its speed. GNU's runtime spins only a hundred times if there
// are more threads than processors. So these threads exist only to make up that number, and sleep
// for ever.
void add_sleeping_threads(int more) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);  // the new threads inherit this: signals go to the others
  try {
    std::thread([more] {
      const int team = threads_that_start(more);
      std::atomic<int> started = 0;  // keeps the region from being optimized away
#pragma omp parallel num_threads(team)
      ++started;
      for (;;) pause();
    }).detach();
  } catch (const std::system_error&) {  // keep spinning
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void let_waiting_threads_rest(int team) {
  static std::once_flag once;
  std::call_once(once, [team] {
    if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return;
    add_sleeping_threads(std::max(omp_get_num_procs() - team, 0) + 2);
  });
}

}  // namespace

void use_threads(int n) {
  ranges::kThreads.check("threads", n);
  chosen = n == 0 ? usable_processors() : n;
  omp_set_num_threads(chosen);
}

ThreadCount::ThreadCount(int n) : before_(chosen), of_openmp_(omp_get_max_threads()) {
  if (n != 0) use_threads(n);
}
ThreadCount::~ThreadCount() {
  chosen = before_;
  omp_set_num_threads(of_openmp_);
}

int threads() {
  if (omp_in_parallel() || alone) return 1;
  return chosen > 0 ? chosen : default_threads();
}

namespace detail {

namespace {
// Thread t owns chunks t, t + team, t + 2 team, ..., so what it wrote in one call is near it in the
// next.
struct alignas(64) Share {
  std::atomic<int64_t> taken = 0;
};

// At least `team` shares, which live as long as the calling thread.
Share* new_shares(int team) {
  thread_local std::unique_ptr<Share[]> shares;
  thread_local int held = 0;
  if (held < team) {
    shares = std::make_unique<Share[]>(static_cast<size_t>(team));
    held = team;
  }
  for (int i = 0; i < team; ++i) shares[i].taken.store(0, std::memory_order_relaxed);
  return shares.get();
}

struct Job {
  int64_t chunks;
  void (*body)(void*, int64_t);
  void* state;
  Share* shares;
  std::exception_ptr error;
  std::mutex error_mutex;
  char begin = 0, end = 0;  // used by address only: stand for the two barriers in the sanitizer
};

// The next chunk of an owner's share, or job.chunks if none is left.
int64_t take(Job& job, int owner, int team) {
  std::atomic<int64_t>& taken = job.shares[owner].taken;
  if (owner + team * taken.load(std::memory_order_relaxed) >= job.chunks) return job.chunks;
  return owner + team * taken.fetch_add(1, std::memory_order_relaxed);
}

// Runs its own share first, then what is left of the others': a core that another program uses must
// not delay the rest.
void run_chunks(Job& job, int thread, int team) {
  HEXAPLA_TSAN_ACQUIRE(&job.begin);
  try {
    for (int ahead = 0; ahead < team; ++ahead) {
      const int owner = (thread + ahead) % team;
      for (int64_t i = take(job, owner, team); i < job.chunks; i = take(job, owner, team)) job.body(job.state, i);
    }
  } catch (...) {
    const std::lock_guard lock(job.error_mutex);
    if (!job.error) job.error = std::current_exception();
  }
  HEXAPLA_TSAN_RELEASE(&job.end);
}
}  // namespace

HEXAPLA_TSAN_UNWATCHED void run_parallel(int64_t chunks, void (*body)(void*, int64_t), void* state) {
  if (chunks <= 0) return;
  if (omp_in_parallel() || threads() == 1) {
    for (int64_t i = 0; i < chunks; ++i) body(state, i);
    return;
  }
  const int team = threads_that_start(threads());
  let_waiting_threads_rest(team);
  Job job{chunks, body, state, new_shares(team), nullptr, {}};
  Job* shared = &job;
  HEXAPLA_TSAN_RELEASE(&job.begin);
#pragma omp parallel firstprivate(shared) num_threads(team)
  run_chunks(*shared, omp_get_thread_num(), omp_get_num_threads());
  HEXAPLA_TSAN_ACQUIRE(&job.end);
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace detail
}  // namespace hexapla
