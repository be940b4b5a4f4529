#include "train/shards/sum_thread.h"

#include <pthread.h>

#include <csignal>

#include "base/compute/parallel.h"

namespace hexapla::train {
namespace {

// Signals are for the threads that were there before: a new one blocks what its maker blocks.
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

// It takes what memory a thread needs before the first update.
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

// The cores are those of the backward pass: additions by this thread alone.
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
