#pragma once
// Sums final gradients in a thread of its own while the backward pass continues.
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "train/shards/layer_segments.h"
#include "train/shards/segment_sum.h"

namespace hexapla::train {

class SumThread final : public GradientListener {
 public:
  // std::system_error: no thread could be started.
  SumThread(SegmentSum& sum, LayerSegments segments);
  ~SumThread() override;  // waits for the current round
  SumThread(const SumThread&) = delete;
  SumThread& operator=(const SumThread&) = delete;

  // For a sum that has begun: from now until rest() it belongs to this thread.
  void final_from(Stack stack, int layer) override;
  // Returns the sum to the caller, who completes it. Rethrows the thread's error.
  void rest();

 private:
  void run();
  // Does not read the sum while the caller owns it.
  bool has_work() const { return !error_ && final_from_ < nothing_ && sum_.segment() >= final_from_; }

  SegmentSum& sum_;
  const LayerSegments segments_;
  const int nothing_;  // one past the last segment
  std::mutex mutex_;
  std::condition_variable changed_;
  int final_from_;  // segment
  bool started_ = false, works_ = false, ends_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace hexapla::train
