#pragma once
// Sentences that arrive while others are translated, each with options of its own. What a sentence becomes is what it
// becomes alone, to the bit, whatever comes beside it.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "decode/search/decoding_capacity.h"
#include "decode/search/sentence_queue.h"

namespace hexapla {

// What a loop that serves a queue has memory for, however many requests there are; a request beyond it is refused.
struct LiveLimits {
  int64_t sentences = 64;      // translated at a time
  int64_t tokens = 4096;       // of their sources together, and so of one at most
  int64_t longest = 512;       // tokens of a translation, </s> counted
  int64_t widest = 16;         // hypotheses of a sentence at a time
  int64_t cache_rows = 32768;  // hypotheses times longest, of all sentences on their way together
  size_t waiting = 10'000;     // requests that are not yet begun
};

enum class LiveEnd { finished, cancelled, late, failed };

struct LiveResult {
  LiveEnd end;
  std::vector<Hypothesis> hypotheses = {};  // of one that is finished, best first; none follows its constraints: empty
  std::exception_ptr error = {};            // of one that has failed
};

struct LiveRequest {
  using Clock = std::chrono::steady_clock;

  Ids source;  // ends with </s>
  SearchOptions options = {};
  SentenceConstraints constraints = {};
  // Given up at the first step after this; while it waits, when its turn comes.
  std::optional<Clock::time_point> deadline = {};
  // The tokens of the best hypothesis so far, before each step but the first; and the end, exactly one for each
  // request. From the thread of a loop, or of cancel() or close(): they should be short, must not throw, and may submit
  // and cancel.
  std::function<void(const Ids& so_far)> on_step = {};
  std::function<void(LiveResult)> on_end;
};

class LiveQueue final : public SentenceQueue {
 public:
  // pieces: of the target vocabulary; null where no request speaks of text. positions: hexapla::positions(model).
  LiveQueue(const LiveLimits& limits, const SpecialIds& special, int64_t positions, const PieceTexts* pieces = nullptr);
  ~LiveQueue() override;  // as close(false), and nothing may serve it any more

  // -> its name, for cancel(). UsageError: options out of range, or beyond the limits. RunError: too many wait, or the
  // queue is closed. on_end is not called where it throws.
  size_t submit(LiveRequest request);
  // Whether it was still there. One that has been begun is given up before its next step.
  bool cancel(size_t name);
  // No more requests: loops end when the last has been answered. finish: those that wait are still translated; else
  // they are canceled.
  void close(bool finish = true);
  size_t waiting() const;

  std::optional<SentenceJob> next(bool idle) override;
  bool wanted(const Sentence& sentence) override;
  void done(size_t name, std::vector<Hypothesis> hypotheses) override;
  bool failed(size_t name, const std::exception_ptr& error) override;

  const LiveLimits& limits() const { return limits_; }

 private:
  struct Entry {
    LiveRequest request;
    std::unique_ptr<DecodingStrategy> strategy;
    std::atomic<bool> cancelled = false;
  };
  using Entries = std::map<size_t, std::shared_ptr<Entry>>;

  void check(const LiveRequest& request) const;
  std::shared_ptr<Entry> find(size_t name) const;
  static std::optional<LiveEnd> given_up(const Entry& entry);
  void end(size_t name, LiveResult result);

  LiveLimits limits_;
  SpecialIds special_;
  int64_t positions_;
  const PieceTexts* pieces_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  Entries entries_;             // not yet answered
  std::deque<size_t> waiting_;  // of these, not yet begun
  size_t names_ = 0;
  bool closed_ = false;
};

// Translates what comes through the queue until it is closed and empty. cx: its arena has live_memory() bytes, whatever
// comes. Several threads may serve one queue, each with a context of its own.
void serve(Context& cx, const Transformer& model, LiveQueue& queue);
size_t live_memory(const Transformer& model, const LiveLimits& limits, DType dtype);

}  // namespace hexapla
