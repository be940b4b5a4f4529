#include "base/compute/task_pool.h"

#include <algorithm>
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

std::uint64_t TaskPool::post(std::function<void()> task) {
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (most_ > 0 && tasks_.size() >= most_) return 0;
    tasks_.push_back({number = ++posted_, std::move(task)});
  }
  arrived_.notify_one();
  return number;
}

void TaskPool::withdraw(std::uint64_t number) {
  std::function<void()> task;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(tasks_.begin(), tasks_.end(), [&](const Task& one) { return one.number == number; });
  if (found == tasks_.end()) return;
  task.swap(found->run);
  tasks_.erase(found);
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
      task = std::move(tasks_.front().run);
      tasks_.pop_front();
    }
    try {
      task();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): nobody to report it to
    }
  }
}

}  // namespace hexapla
