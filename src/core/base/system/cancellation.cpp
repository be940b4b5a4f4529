#include "base/system/cancellation.h"

#include <utility>

namespace hexapla {
namespace {

thread_local const std::atomic<bool>* current = nullptr;

}  // namespace

CancelScope::CancelScope(const std::atomic<bool>* flag) : outer_(std::exchange(current, flag)) {}
CancelScope::~CancelScope() { current = outer_; }

const std::atomic<bool>* cancel_flag() { return current; }
bool canceled() { return current && *current; }
void check_canceled() {
  if (canceled()) throw Canceled("stopped");
}

int wait_between_looks() { return current ? 100 : -1; }

}  // namespace hexapla
