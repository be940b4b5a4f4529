#pragma once

namespace hexapla {

// During its lifetime, parallel_for uses n threads when called from this thread; 0: the number is
// unchanged.
class ThreadCount {
 public:
  explicit ThreadCount(int n);  // UsageError as in use_threads()
  ~ThreadCount();
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_, of_openmp_;
};

}  // namespace hexapla
