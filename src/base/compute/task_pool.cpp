#include "base/compute/task_pool.h"

#include <exception>

namespace hexapla {

TaskPool::TaskPool(int threads, std::size_t most) : most_(most) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

TaskPool::~TaskPool() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  arrived_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool TaskPool::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (most_ > 0 && tasks_.size() >= most_) return false;
    tasks_.push_back(std::move(task));
  }
  arrived_.notify_one();
  return true;
}

std::size_t TaskPool::waiting() const {
  const std::lock_guard lock(mutex_);
  return tasks_.size();
}

void TaskPool::work() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [&] { return closed_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    try {
      task();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): nobody to report it to
    }
  }
}

}  // namespace hexapla
