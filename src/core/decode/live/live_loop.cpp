#include "decode/live/live_loop.h"

#include <algorithm>
#include <set>

#include "decode/rescoring/alignment.h"
#include "decode/search/decode_loop.h"

namespace hexapla::decode {
namespace {

DecodingCapacity capacity_of(const LiveLimits& limits) {
  DecodingCapacity c;
  c.sentences = limits.sentences;
  c.tokens = limits.tokens;
  c.cache_rows = limits.cache_rows;
  c.longest = std::max(limits.longest, limits.tokens);
  c.widest = limits.widest;
  return c;
}

// A loop's view of a queue. Construct it when the arena holds exactly what stays between steps:
// everything else is freed before translations are handed out.
class LoopQueue final : public SentenceQueue {
 public:
  LoopQueue(LiveQueue& queue, Context& cx, const model::Transformer& model)
      : queue_(queue), cx_(cx), between_steps_(cx.arena.mark()), model_(model) {
    queue_.join();
  }
  ~LoopQueue() override { queue_.leave(); }
  LoopQueue(const LoopQueue&) = delete;
  LoopQueue& operator=(const LoopQueue&) = delete;

  std::optional<SentenceJob> next(bool idle) override {
    if (idle && LiveRequest::Clock::now() - rested_ > kRest) rest();
    std::optional<SentenceJob> job = queue_.next(idle, on_their_way_.size(), [this] { rest(); });
    if (job) on_their_way_.insert(job->name);
    return job;
  }
  bool wanted(const Sentence& sentence) override {
    const bool is = queue_.wanted(sentence);
    if (!is) on_their_way_.erase(sentence.source);
    return is;
  }
  void done(size_t name, std::vector<Hypothesis> hypotheses) override {
    on_their_way_.erase(name);
    cx_.arena.rewind(between_steps_);
    queue_.found(name, std::move(hypotheses), cx_, model_);
  }
  bool failed(size_t name, const std::exception_ptr& error) override {
    on_their_way_.erase(name);
    queue_.failed(name, error);
    return true;
  }
  void all_failed(const std::exception_ptr& error) {
    for (const size_t name : on_their_way_) queue_.failed(name, error);
  }

 private:
  // Gives the system the memory that a large step has left: an idle loop does not need it, and under light load a loop
  // is idle now and then. To get it again takes a few milliseconds.
  void rest() {
    cx_.arena.rewind(between_steps_);
    cx_.arena.release();
    rested_ = LiveRequest::Clock::now();
  }
  static constexpr std::chrono::seconds kRest{5};

  LiveQueue& queue_;
  Context& cx_;
  Arena::Mark between_steps_;
  const model::Transformer& model_;
  std::set<size_t> on_their_way_;
  LiveRequest::Clock::time_point rested_;
};

template <class Steps>
void run(Context& cx, Steps& steps, const Ensemble& ensemble, LiveQueue& queue) {
  LoopQueue own(queue, cx, *ensemble.models.front());
  try {
    DecodeLoop(steps, positions(ensemble), own, capacity_of(queue.limits())).run(cx);
  } catch (...) {
    own.all_failed(std::current_exception());
    throw;
  }
}

// A forced pass of one pair needs memory besides the state of sentences in progress, but not during
// a step.
DecodingSizes with_a_forced_pass(DecodingSizes sizes, const LiveLimits& limits) {
  sizes.source_tokens += limits.longest_source;
  sizes.hypotheses = std::max(sizes.hypotheses, limits.longest + 1);
  sizes.longest = std::max({sizes.longest, limits.longest_source, limits.longest + 1});
  return sizes;
}

}  // namespace

void run_live_loop(Context& cx, const Ensemble& ensemble, LiveQueue& queue) {
  check(ensemble);
  const DecodingCapacity capacity = capacity_of(queue.limits());
  if (ensemble.models.size() == 1) {
    DecoderSteps steps(cx, *ensemble.models.front(), capacity.tokens, capacity.cache_rows);
    run(cx, steps, ensemble, queue);
  } else {
    EnsembleSteps steps(cx, ensemble, capacity);
    run(cx, steps, ensemble, queue);
  }
}

size_t live_memory(const Ensemble& ensemble, const LiveLimits& limits, DType dtype) {
  const model::Config& config = ensemble.models.at(0)->config;
  const DecodingCapacity c = capacity_of(limits);
  const int64_t hypotheses = c.sentences * c.widest, candidates = 2 + std::max(2 * c.widest, kMostLiveCandidates);
  const size_t attention = attention_memory(config, limits.longest_source, limits.longest + 1);
  if (ensemble.models.size() > 1)
    return mixture_memory(ensemble, hypotheses, candidates, dtype) +
           decoding_memory(config, with_a_forced_pass({}, limits), dtype) + attention;
  const DecodingSizes steps{.source_tokens = c.tokens,
                            .hypotheses = hypotheses,
                            .logit_rows = hypotheses,
                            .longest = c.longest,
                            .cache_rows = c.cache_rows,
                            .candidates = candidates};
  return decoding_memory(config, with_a_forced_pass(steps, limits), dtype) + attention;
}

size_t live_memory_of_members(const Ensemble& ensemble, const LiveLimits& limits, DType dtype) {
  return ensemble.models.size() == 1 ? 0 : members_memory(ensemble, capacity_of(limits), dtype);
}

}  // namespace hexapla::decode
