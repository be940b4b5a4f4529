#pragma once

namespace hexapla {

// While it lives, parallel_for uses so many threads from this thread; 0: as many as before.
class ThreadCount {
 public:
  explicit ThreadCount(int n);  // UsageError as use_threads()
  ~ThreadCount();
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_, of_openmp_;
};

}  // namespace hexapla
