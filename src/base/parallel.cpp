#include "base/parallel.h"

#include <omp.h>

#include <exception>
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
struct Job {
  int64_t pieces;
  void (*body)(void*, int64_t);
  void* state;
  std::exception_ptr error;
  std::mutex error_mutex;
  char begin = 0, end = 0;  // addresses only: what the sanitizer takes for the two barriers
};

void run_pieces(Job& job, int thread, int team) {
  HEXAPLA_TSAN_ACQUIRE(&job.begin);
  try {
    for (int64_t i = thread; i < job.pieces; i += team) job.body(job.state, i);
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
  Job job{pieces, body, state, nullptr, {}};
  Job* shared = &job;
  HEXAPLA_TSAN_RELEASE(&job.begin);
#pragma omp parallel firstprivate(shared)
  run_pieces(*shared, omp_get_thread_num(), omp_get_num_threads());
  HEXAPLA_TSAN_ACQUIRE(&job.end);
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace detail
}  // namespace hexapla
