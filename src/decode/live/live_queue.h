#pragma once
// Sentences that arrive while others are translated, each with options of its own. What a sentence becomes is what it
// becomes alone, to the bit, whatever comes beside it.
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

// What a loop that serves a queue has memory for, however many requests there are; a request beyond it is refused.
struct LiveLimits {
  int64_t sentences = 64;        // translated at a time
  int64_t tokens = 4096;         // of their sources together
  int64_t longest_source = 512;  // tokens of one source, </s> counted
  int64_t longest = 640;         // tokens of a translation, </s> counted
  int64_t widest = 16;           // hypotheses of a sentence at a time
  int64_t cache_rows = 32768;    // hypotheses times longest, of all sentences on their way together
  size_t waiting = 10'000;       // requests that are not yet begun

  // Of each of so many loops that serve one queue: together they take about the memory of one with these limits. A
  // request of `longest` and `widest` still has room, and no loop has fewer than 16 sentences at a time.
  LiveLimits shared_by(int loops) const;
};

constexpr int64_t most_live_candidates = 1024;  // tokens of a row of logits that are drawn among

enum class LiveEnd { finished, canceled, late, failed };

struct LiveResult {
  LiveEnd end;
  std::vector<Hypothesis> hypotheses = {};  // of one that is finished, best first; none follows its constraints: empty
  std::exception_ptr error = {};            // of one that has failed
};

// Callbacks come from the thread of a loop, of the queue's deadlines, or of whoever calls cancel() or close(): they
// should be short, since nothing else goes on in that thread meanwhile, and may submit and cancel.
struct LiveRequest {
  using Clock = std::chrono::steady_clock;

  text::Ids source;  // ends with </s>
  SearchOptions options = {};
  SentenceConstraints constraints = {};
  uint64_t client = 0;  // whose it is: ClientTurns
  // While it waits it is answered as soon as this has passed; once it is begun, at the first step after this.
  std::optional<Clock::time_point> deadline = {};
  // The tokens of the best hypothesis so far, before each step but the first. Where it throws, the request has failed.
  std::function<void(const text::Ids& so_far)> on_step = {};
  // Before on_end, in the thread of the loop: may change what was found, with a forced pass of one pair at a time by
  // the model (of an ensemble, the first). Where it throws, the request has failed.
  std::function<void(Context& cx, const model::Transformer& model, std::vector<Hypothesis>& found)> on_found = {};
  // Exactly once for each request. What it throws is lost: nobody is left who could be told.
  std::function<void(LiveResult)> on_end;
};

class LiveQueue {
 public:
  // pieces: of the target vocabulary; null where no request speaks of text. positions: model::positions(model).
  LiveQueue(const LiveLimits& limits, const SpecialIds& special, int64_t positions, const PieceTexts* pieces = nullptr);
  ~LiveQueue();  // as close(false), and nothing may serve it any more

  // -> its name, for cancel(). UsageError: options out of range, or beyond the limits. RunError: too many wait, or the
  // queue is closed. on_end is not called where it throws.
  size_t submit(LiveRequest request);
  // All of them, or none. -> the name of the first; those of the others follow it.
  size_t submit_all(std::vector<LiveRequest> requests);
  // Whether it was still there. One that has been begun is given up before its next step.
  bool cancel(size_t name);
  // No more requests: loops end when the last has been answered. finish: those that wait are still translated; else
  // they are canceled.
  void close(bool finish = true);
  size_t waiting() const;
  const LiveLimits& limits() const { return limits_; }

  // For a loop that serves the queue: as in SentenceQueue. Each request that a loop has from next() it answers.
  // Loops share what there is: next() leaves a request to others where this one has its part (held: how many requests
  // it has had from next() and not yet answered).
  void join();
  void leave();
  std::optional<SentenceJob> next(bool idle, size_t held);
  bool wanted(const Sentence& sentence);
  void found(size_t name, std::vector<Hypothesis> hypotheses, Context& cx, const model::Transformer& model);
  void failed(size_t name, const std::exception_ptr& error) { end(name, {LiveEnd::failed, {}, error}); }

 private:
  struct Entry {
    LiveRequest request;
    std::unique_ptr<DecodingStrategy> strategy;
    std::atomic<bool> canceled = false;
    bool begun = false;  // a loop has it; under the mutex
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
  std::condition_variable arrived_, earlier_;  // a request; a deadline before the one that is watched, or the end
  Entries entries_;                            // not yet answered
  ClientTurns turns_;                          // of these
  std::set<std::pair<LiveRequest::Clock::time_point, size_t>> deadlines_;  // of those that wait
  LiveRequest::Clock::time_point watching_until_ = LiveRequest::Clock::time_point::max();
  std::thread deadline_watch_;  // from the first request with a deadline on
  size_t names_ = 0, loops_ = 0;
  bool closed_ = false, gone_ = false;
};

}  // namespace hexapla::decode
