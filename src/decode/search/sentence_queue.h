#pragma once
// Where a decode loop gets its sentences from, and where their translations go.
#include <exception>
#include <optional>
#include <vector>

#include "decode/search/decoding_strategy.h"

namespace hexapla::decode {

// A sentence to be translated. All that it points to stays until it is done.
struct SentenceJob {
  size_t name;              // in its queue
  const text::Ids* source;  // ends with </s>
  const SearchOptions* options;
  const SentenceConstraints* constraints;
  DecodingStrategy* strategy;  // for these options and constraints; of this job or of all of the queue
};

// Siblings: ListQueue below, and LiveQueue (decode/live), whose sentences arrive while others are translated.
class SentenceQueue {
 public:
  virtual ~SentenceQueue() = default;
  // The next sentence; none: there is none now. idle: the loop has nothing else to do, and ends where there is none.
  virtual std::optional<SentenceJob> next(bool idle) = 0;
  // Before each step, and before a sentence is begun (it has no hypotheses yet): whether it is still to be translated.
  // Where it is not, the queue has answered it.
  virtual bool wanted(const Sentence&) { return true; }
  // Best first; none follows the constraints where there are none.
  virtual void done(size_t name, std::vector<Hypothesis> hypotheses) = 0;
  // A step of this sentence has thrown. false: that is for the caller of the loop.
  virtual bool failed(size_t /*name*/, const std::exception_ptr&) { return false; }
};

// A list whose sentences have the options in common. Several loops may draw on one list, each through a queue of its
// own.
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
