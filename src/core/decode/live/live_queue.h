#pragma once
// Sentences that arrive while others are being translated, each with its own options. A sentence's
// translation is bit-identical to what it would be alone.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "decode/live/client_turns.h"
#include "decode/search/decoding_capacity.h"
#include "decode/search/sentence_queue.h"

namespace hexapla::decode {

// Memory limits of a loop that serves a queue, for any number of requests; a request beyond them is
// refused.
struct LiveLimits {
  int64_t sentences = 64;        // translated at a time
  int64_t tokens = 4096;         // total of their source tokens
  int64_t longest_source = 512;  // tokens of a source, including </s>
  int64_t longest = 640;         // tokens of a translation, including </s>
  int64_t widest = 16;           // hypotheses per sentence at a time
  int64_t cache_rows = 32768;    // hypotheses times longest, over all sentences in progress
  size_t waiting = 10'000;       // requests not yet begun

  // Limits for each of `loops` loops that serve one queue, so that together they take about the
  // memory of one with these limits. A request of `longest` and `widest` still fits, and every loop
  // takes at least 16 sentences at a time.
  LiveLimits shared_by(int loops) const;

  // Lowers them by about half because there is no memory for these: first what is translated together, then what a
  // single request may have. False: they are the least already.
  bool reduce();
  bool reduced = false;  // then a request beyond them is OutOfMemory
};

constexpr int64_t kMostLiveCandidates = 1024;  // tokens to sample from in a row of logits

enum class LiveEnd { finished, canceled, late, failed };

struct LiveResult {
  LiveEnd end;
  std::vector<Hypothesis> hypotheses = {};  // if finished, best first; may be empty because of constraints
  std::exception_ptr error = {};            // if failed
};

// Callbacks come from the thread of a loop, of the queue's deadlines, or of the caller of cancel()
// or close(). They should be short, because they block that thread, and may call submit and cancel.
struct LiveRequest {
  using Clock = std::chrono::steady_clock;

  text::Ids source;  // ends with </s>
  SearchOptions options = {};
  SentenceConstraints constraints = {};
  uint64_t client = 0;  // for ClientTurns
  // A waiting request is answered as soon as this has passed; one in progress before the next step.
  std::optional<Clock::time_point> deadline = {};
  // Set to true to cancel the request when its turn comes, or before its next step. May be null.
  const std::atomic<bool>* stop = nullptr;
  // Called with the tokens of the best hypothesis so far, before each step but the first. If it
  // throws, the request fails.
  std::function<void(const text::Ids& so_far)> on_step = {};
  // Called before on_end, in the loop's thread. May change the result, and run forced passes of one
  // pair at a time through the model (for an ensemble, the first). If it throws, the request fails.
  std::function<void(Context& cx, const model::Transformer& model, std::vector<Hypothesis>& found)> on_found = {};
  // Called exactly once for each request. Its exceptions are ignored.
  std::function<void(LiveResult)> on_end;
};

class LiveQueue {
 public:
  // pieces: of the target vocabulary; null if no request contains text constraints. positions:
  // model::positions(model).
  LiveQueue(const LiveLimits& limits, const SpecialIds& special, int64_t positions, const PieceTexts* pieces = nullptr);
  ~LiveQueue();  // like close(false); must not be served any more

  // Returns the request's name, for cancel(). UsageError: options out of range or beyond the
  // limits. OutOfMemory: beyond reduced limits. RunError: too many requests wait, or the queue is closed. If it throws,
  // on_end is not called.
  size_t submit(LiveRequest request);
  // Submits all or none. Returns the name of the first; the names of the others follow.
  size_t submit_all(std::vector<LiveRequest> requests);
  // Returns whether it was still there. A request in progress is given up before its next step.
  bool cancel(size_t name);
  // Accepts no more requests; loops end when all have been answered. finish: whether waiting
  // requests are still translated; otherwise they are canceled.
  void close(bool finish = true);
  size_t waiting() const;
  const LiveLimits& limits() const { return limits_; }

  // For loops that serve the queue, as in SentenceQueue. A loop answers every request that it gets
  // from next(). next() leaves requests to other loops if this one has its share; held: the number
  // of requests that this loop has not yet answered. rest: called when an idle loop has waited for a second.
  void join();
  void leave();
  std::optional<SentenceJob> next(bool idle, size_t held, const std::function<void()>& rest = {});
  bool wanted(const Sentence& sentence);
  void found(size_t name, std::vector<Hypothesis> hypotheses, Context& cx, const model::Transformer& model);
  void failed(size_t name, const std::exception_ptr& error) { end(name, {LiveEnd::failed, {}, error}); }

 private:
  struct Entry {
    LiveRequest request;
    std::unique_ptr<DecodingStrategy> strategy;
    std::atomic<bool> canceled = false;
    bool begun = false;  // taken by a loop; guarded by the mutex
  };
  using Entries = std::map<size_t, std::shared_ptr<Entry>>;

  void check(const LiveRequest& request) const;
  std::shared_ptr<Entry> entry(LiveRequest request) const;
  std::shared_ptr<Entry> find(size_t name) const;
  static std::optional<LiveEnd> given_up(const Entry& entry);
  void await(size_t name, std::shared_ptr<Entry> entry);
  void forget_deadline(size_t name, const Entry& entry);
  bool wait_no_more(size_t name);
  void start_deadlines();
  void watch_deadlines();
  void end(size_t name, LiveResult result);

  LiveLimits limits_;
  SpecialIds special_;
  int64_t positions_;
  const PieceTexts* pieces_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_, earlier_;  // a new request; a deadline before the one that is watched, or the end
  Entries entries_;                            // not yet answered
  ClientTurns turns_;                          // of these entries
  std::set<std::pair<LiveRequest::Clock::time_point, size_t>> deadlines_;  // of waiting requests
  LiveRequest::Clock::time_point watching_until_ = LiveRequest::Clock::time_point::max();
  std::thread deadline_watch_;  // started by the first request with a deadline
  size_t names_ = 0, loops_ = 0;
  bool closed_ = false, gone_ = false;
};

}  // namespace hexapla::decode
