#pragma once
// Cancellation of a thread's work. The caller that starts long work names a flag; loops of that
// work, and waits for bytes or another process, check it here.
#include <atomic>

#include "base/error.h"

namespace hexapla {

// During its lifetime, this thread's work is canceled once the flag is true; null: never, whatever
// the outer scopes say.
class CancelScope {
 public:
  explicit CancelScope(const std::atomic<bool>* flag);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

 private:
  const std::atomic<bool>* outer_;
};

// The flag of this thread's innermost scope, to pass on to threads that work for it; null: none.
const std::atomic<bool>* cancel_flag();
bool canceled();
void check_canceled();  // throws Canceled

// Runs work(), but returns if it throws Canceled because of `stop`.
template <class Work>
void unless_stopped(const std::atomic<bool>& stop, Work&& work) try {
  work();
} catch (const Canceled&) {
  if (!stop) throw;
}

// How long to wait for an event before checking canceled() again, in milliseconds; -1: no limit.
int wait_between_looks();

}  // namespace hexapla
