#pragma once
// A thread pool with a queue.
#include <condition_variable>
#include <cstddef>
#include <cstdint>
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

  // Queues a task, if there is room; its exceptions are dropped. -> its number, 0 if there is no room
  std::uint64_t post(std::function<void()> task);
  // Drops a task that has not begun, which frees its place in the queue.
  void withdraw(std::uint64_t number);
  std::size_t waiting() const;

 private:
  void work();

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  struct Task {
    std::uint64_t number;
    std::function<void()> run;
  };
  std::deque<Task> tasks_;
  std::uint64_t posted_ = 0;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace hexapla
