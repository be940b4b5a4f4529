#pragma once
// The one door to threads for computing. Work is cut into chunks that do not depend on the number of threads, and
// every chunk writes its own results, so the same bits come out for any number of threads.
#include <cstdint>
#include <functional>
#include <type_traits>

namespace hexapla {

// Threads that parallel_for may use from this thread on; 0, and the default: as many as the process may run at a time.
// UsageError: below 0 or above 4096.
void use_threads(int n);
int threads();

namespace detail {
void run_parallel(int64_t chunks, void (*body)(void*, int64_t), void* state);
}

// body(i) for i in 0 .. chunks-1, in any order, on several threads. An exception of a body is rethrown here.
// Inside of another parallel_for it runs in order on the calling thread.
template <class Body>
void parallel_for(int64_t chunks, Body&& body) {
  if (chunks == 1) return void(body(int64_t{0}));
  using Raw = std::remove_reference_t<Body>;
  detail::run_parallel(
      chunks, [](void* state, int64_t i) { (*static_cast<Raw*>(state))(i); },
      const_cast<std::remove_const_t<Raw>*>(&body));
}

}  // namespace hexapla
