#pragma once
// All compute threads are started here. Work is cut into chunks independently of the number of
// threads, and each chunk writes its own results, so results are bit-identical for any number of
// threads.
#include <cstdint>
#include <functional>
#include <type_traits>

namespace hexapla {

// Sets the number of threads that parallel_for uses when called from this thread; 0 (the default):
// as many as the process may run at a time. UsageError: below 0 or above 4096.
void use_threads(int n);
int threads();

namespace detail {
void run_parallel(int64_t chunks, void (*body)(void*, int64_t), void* state);
}

// Calls body(i) for i in 0 .. chunks-1, in any order, on several threads. Rethrows an exception of
// a body (one of them, if several throw). Nested calls run in order on the calling thread.
template <class Body>
void parallel_for(int64_t chunks, Body&& body) {
  if (chunks == 1) return void(body(int64_t{0}));
  using Raw = std::remove_reference_t<Body>;
  detail::run_parallel(
      chunks, [](void* state, int64_t i) { (*static_cast<Raw*>(state))(i); },
      const_cast<std::remove_const_t<Raw>*>(&body));
}

}  // namespace hexapla
