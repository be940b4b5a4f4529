#pragma once
// The source of a decode loop's sentences, and the destination of their translations.
#include <exception>
#include <optional>
#include <vector>

#include "decode/strategies/decoding_strategy.h"

namespace hexapla::decode {

// A sentence to translate. Everything that it points to must stay valid until it is done.
struct SentenceJob {
  size_t name;              // in its queue
  const text::Ids* source;  // ends with </s>
  const SearchOptions* options;
  const SentenceConstraints* constraints;
  DecodingStrategy* strategy;  // for these options and constraints; own or shared by the queue
};

// Implemented by ListQueue below, and by the queue of LiveQueue's loops (decode/live), whose
// sentences arrive during translation.
class SentenceQueue {
 public:
  virtual ~SentenceQueue() = default;
  // The next sentence; none if there is none now. idle: the loop has nothing else to do and ends if
  // there is none.
  virtual std::optional<SentenceJob> next(bool idle) = 0;
  // Called before each step, and before a sentence is begun (it then has no hypotheses): whether it
  // is still to be translated. If not, the queue has answered it.
  virtual bool wanted(const Sentence&) { return true; }
  // Best first; empty if none satisfies the constraints.
  virtual void done(size_t name, std::vector<Hypothesis> hypotheses) = 0;
  // A step of this sentence has thrown. Return false to let the exception propagate to the caller
  // of the loop.
  virtual bool failed(size_t /*name*/, const std::exception_ptr&) { return false; }
};

// A list of sentences with common options. Several loops may share one list, each through its own
// queue.
class ListQueue final : public SentenceQueue {
 public:
  ListQueue(Queue& list, const SearchOptions& options, DecodingStrategy& strategy, const Done& done)
      : list_(list), options_(options), strategy_(strategy), done_(done) {}
  std::optional<SentenceJob> next(bool /*idle*/) override {
    if (list_.stopped()) return {};
    const size_t at = list_.next++;
    if (at >= list_.order.size()) return {};
    const size_t i = list_.order[at];
    return SentenceJob{i, &list_.sources[i], &options_, list_.requests.empty() ? &none_ : &list_.requests[i],
                       &strategy_};
  }
  bool wanted(const Sentence&) override { return !list_.stopped(); }
  void done(size_t name, std::vector<Hypothesis> hypotheses) override { done_(name, std::move(hypotheses)); }

 private:
  Queue& list_;
  const SearchOptions& options_;
  DecodingStrategy& strategy_;
  const Done& done_;
  const SentenceConstraints none_;
};

}  // namespace hexapla::decode
