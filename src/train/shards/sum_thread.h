#pragma once
// A thread that adds up what a backward pass has ended with, while it goes on.
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "train/shards/layer_segments.h"
#include "train/shards/segment_sum.h"

namespace hexapla::train {

class SumThread final : public GradientListener {
 public:
  // std::system_error where no thread can be started.
  SumThread(SegmentSum& sum, LayerSegments segments);
  ~SumThread() override;  // after the round that is under way
  SumThread(const SumThread&) = delete;
  SumThread& operator=(const SumThread&) = delete;

  // Of the sum that has begun: from here on until rest() it is this thread's.
  void final_from(Stack stack, int layer) override;
  // Returns when the sum is the caller's, who goes on with what is left of it. Rethrows what went wrong.
  void rest();

 private:
  void run();
  // While the sum is the caller's, no look at it.
  bool has_work() const { return !error_ && final_from_ < nothing_ && sum_.segment() >= final_from_; }

  SegmentSum& sum_;
  const LayerSegments segments_;
  const int nothing_;  // behind the last segment
  std::mutex mutex_;
  std::condition_variable changed_;
  int final_from_;  // segment
  bool started_ = false, works_ = false, ends_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace hexapla::train
