#pragma once
// Threads that do one thing after another.
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
  // most: tasks that may wait; 0: any number.
  explicit Workers(int threads, std::size_t most = 0);
  ~Workers();  // what waits is still done
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Whether there was room for it. What the task throws is lost.
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
