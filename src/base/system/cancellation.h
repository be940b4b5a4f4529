#pragma once
// Whether what a thread does is still wanted. Whoever begins long work says which flag ends it; loops of that work, and
// what waits for bytes or for another process, ask here.
#include <atomic>

#include "base/error.h"

namespace hexapla {

// While it lives, this thread's work ends once the flag is true; null: whatever the flags around it say, it goes on.
class CancelScope {
 public:
  explicit CancelScope(const std::atomic<bool>* flag);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

 private:
  const std::atomic<bool>* outer_;
};

// The flag of this thread's innermost scope, for threads that work for it; null: none.
const std::atomic<bool>* cancel_flag();
bool canceled();
void check_canceled();  // Canceled

// work(), unless it ends with Canceled because of `stop`.
template <class Work>
void unless_stopped(const std::atomic<bool>& stop, Work&& work) try {
  work();
} catch (const Canceled&) {
  if (!stop) throw;
}

// How long to wait for something before asking canceled() again, in milliseconds; -1: until it comes.
int wait_between_looks();

}  // namespace hexapla
