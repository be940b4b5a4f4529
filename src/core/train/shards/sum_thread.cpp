#include "train/shards/sum_thread.h"

#include <pthread.h>

#include <csignal>

#include "base/compute/parallel.h"

namespace hexapla::train {
namespace {

// Signals are for existing threads: a new thread inherits its creator's mask, so all are blocked.
template <class Start>
std::thread without_signals(Start&& start) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  try {
    std::thread thread = start();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
}

}  // namespace

// Waits for the thread to start, so that its memory is allocated before the first update.
SumThread::SumThread(SegmentSum& sum, LayerSegments segments)
    : sum_(sum),
      segments_(std::move(segments)),
      nothing_(static_cast<int>(segments_.starts.size()) + 1),
      final_from_(nothing_),
      thread_(without_signals([this] { return std::thread([this] { run(); }); })) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return started_; });
}

SumThread::~SumThread() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void SumThread::final_from(Stack stack, int layer) {
  const std::lock_guard lock(mutex_);
  final_from_ = segments_.of_layer(stack, layer);
  changed_.notify_all();
}

void SumThread::rest() {
  std::unique_lock lock(mutex_);
  final_from_ = nothing_;
  changed_.wait(lock, [this] { return !works_; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

// Adds with this thread only: the backward pass uses the cores.
void SumThread::run() {
  use_threads(1);
  std::unique_lock lock(mutex_);
  started_ = true;
  changed_.notify_all();
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || has_work(); });
    if (ends_) return;
    works_ = true;
    lock.unlock();
    std::exception_ptr error;
    try {
      sum_.round_beside();
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    error_ = error;
    works_ = false;
    changed_.notify_all();
  }
}

}  // namespace hexapla::train
