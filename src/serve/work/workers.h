#pragma once
// A thread pool with a queue.
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hexapla::serve {

class Workers {
 public:
  // most: limit of the queue; 0: no limit.
  explicit Workers(int threads, std::size_t most = 0);
  ~Workers();  // finishes the queue first
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

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

}  // namespace hexapla::serve
