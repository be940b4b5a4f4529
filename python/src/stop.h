#pragma once
// A flag that ends the calls to which it was given.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

namespace hexapla::python {

class Stop {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    set_ = true;
    for (std::atomic<bool>* call : calls_) *call = true;
  }
  bool is_set() {
    const std::lock_guard lock(mutex_);
    return set_;
  }

  // Sets the flag of a call, too, while this object exists. stop: may be null.
  class Lent {
   public:
    Lent(Stop* stop, std::atomic<bool>& call) : stop_(stop), call_(call) {
      if (!stop_) return;
      const std::lock_guard lock(stop_->mutex_);
      stop_->calls_.push_back(&call_);
      if (stop_->set_) call_ = true;
    }
    ~Lent() {
      if (!stop_) return;
      const std::lock_guard lock(stop_->mutex_);
      std::erase(stop_->calls_, &call_);
    }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;

   private:
    Stop* stop_;
    std::atomic<bool>& call_;
  };

 private:
  std::mutex mutex_;
  // Guarded by the mutex:
  bool set_ = false;
  std::vector<std::atomic<bool>*> calls_;
};

}  // namespace hexapla::python
