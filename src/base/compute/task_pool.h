#pragma once
// A thread pool with a queue.
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hexapla {

class TaskPool {
 public:
  // most: limit of the queue; 0: no limit.
  explicit TaskPool(int threads, std::size_t most = 0);
  ~TaskPool();  // finishes the queue first
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  // Queues a task, if there is room. Exceptions of the task are dropped.
  bool post(std::function<void()> task);
  std::size_t waiting() const;

 private:
  void work();

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::function<void()>> tasks_;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace hexapla
