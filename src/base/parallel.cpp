#include "base/parallel.h"

#include <omp.h>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>

// libgomp is not instrumented, so ThreadSanitizer cannot see its barriers: they are told to it here. The hand-over of
// run_parallel's own frame to the team comes before the first of them, so that function alone is not watched.
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

void set_threads(int n) { omp_set_num_threads(n < 1 ? omp_get_num_procs() : n); }
int threads() { return omp_in_parallel() ? 1 : omp_get_max_threads(); }

namespace detail {

namespace {
// Pieces t, t + team, t + 2 team ... are the share of thread t: what it wrote in one call is near it in the next.
struct alignas(64) Share {
  std::atomic<int64_t> taken = 0;
};

// For as many threads; they live as long as the thread that asks.
Share* new_shares(int team) {
  thread_local std::unique_ptr<Share[]> shares;
  thread_local int held = 0;
  if (held < team) {
    shares = std::make_unique<Share[]>(static_cast<size_t>(team));
    held = team;
  }
  for (int i = 0; i < team; ++i) shares[static_cast<size_t>(i)].taken.store(0, std::memory_order_relaxed);
  return shares.get();
}

struct Job {
  int64_t pieces;
  void (*body)(void*, int64_t);
  void* state;
  Share* shares;
  std::exception_ptr error;
  std::mutex error_mutex;
  char begin = 0, end = 0;  // addresses only: what the sanitizer takes for the two barriers
};

// The next piece of an owner's share, or one beyond the last.
int64_t take(Job& job, int owner, int team) {
  std::atomic<int64_t>& taken = job.shares[owner].taken;
  if (owner + team * taken.load(std::memory_order_relaxed) >= job.pieces) return job.pieces;
  return owner + team * taken.fetch_add(1, std::memory_order_relaxed);
}

// Its own share first, then what the others have not begun: a core that somebody else uses must not hold up the rest.
void run_pieces(Job& job, int thread, int team) {
  HEXAPLA_TSAN_ACQUIRE(&job.begin);
  try {
    for (int ahead = 0; ahead < team; ++ahead) {
      const int owner = (thread + ahead) % team;
      for (int64_t i = take(job, owner, team); i < job.pieces; i = take(job, owner, team)) job.body(job.state, i);
    }
  } catch (...) {
    const std::lock_guard lock(job.error_mutex);
    if (!job.error) job.error = std::current_exception();
  }
  HEXAPLA_TSAN_RELEASE(&job.end);
}
}  // namespace

HEXAPLA_TSAN_UNWATCHED void run_parallel(int64_t pieces, void (*body)(void*, int64_t), void* state) {
  if (pieces <= 0) return;
  if (omp_in_parallel() || threads() == 1) {
    for (int64_t i = 0; i < pieces; ++i) body(state, i);
    return;
  }
  Job job{pieces, body, state, new_shares(threads()), nullptr, {}};
  Job* shared = &job;
  HEXAPLA_TSAN_RELEASE(&job.begin);
#pragma omp parallel firstprivate(shared)
  run_pieces(*shared, omp_get_thread_num(), omp_get_num_threads());
  HEXAPLA_TSAN_ACQUIRE(&job.end);
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace detail
}  // namespace hexapla
