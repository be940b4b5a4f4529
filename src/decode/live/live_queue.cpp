#include "decode/live/live_queue.h"

#include <algorithm>

#include "base/error.h"
#include "decode/search/decode_loop.h"
#include "decode/search/make_strategy.h"
#include "decode/search/sampler.h"

namespace hexapla {
namespace {

constexpr int64_t most_candidates = 1024;  // of a row of logits, for sampling

DecodingCapacity capacity_of(const LiveLimits& limits) {
  DecodingCapacity c;
  c.sentences = limits.sentences;
  c.tokens = limits.tokens;
  c.cache_rows = limits.cache_rows;
  c.longest = std::max(limits.longest, limits.tokens);
  c.widest = limits.widest;
  return c;
}

}  // namespace

LiveQueue::LiveQueue(const LiveLimits& limits, const SpecialIds& special, int64_t positions, const PieceTexts* pieces)
    : limits_(limits), special_(special), positions_(positions), pieces_(pieces) {}

LiveQueue::~LiveQueue() {
  close(false);
  while (!entries_.empty()) end(entries_.begin()->first, {LiveEnd::cancelled});  // whoever served it has thrown
}

void LiveQueue::check(const LiveRequest& request) const {
  hexapla::check(request.options);
  const auto refuse = [](const char* what, int64_t is, int64_t limit) {
    if (is > limit) throw UsageError(cat("the request has ", is, " ", what, ", but this queue takes at most ", limit));
  };
  const int64_t cap = longest_translation(positions_, request.source, request.options, request.constraints);
  const int64_t hypotheses = width(request.options, request.constraints);
  HEXAPLA_CHECK(!request.source.empty() && request.on_end, "live queue: a request without a source, or without on_end");
  refuse("source tokens", static_cast<int64_t>(request.source.size()), std::min(limits_.tokens, positions_));
  refuse("tokens that its translation may have", cap, limits_.longest);
  refuse("hypotheses at a time", hypotheses, limits_.widest);
  refuse("tokens of its hypotheses together", cap * hypotheses, limits_.cache_rows);
  if (request.options.sampling)
    refuse("tokens that are drawn among", best_of_a_row(*request.options.sampling), most_candidates);
}

size_t LiveQueue::submit(LiveRequest request) {
  check(request);
  auto entry = std::make_shared<Entry>();
  entry->request = std::move(request);
  const LiveRequest& r = entry->request;
  entry->strategy = make_strategy({{&r.constraints, 1}, pieces_}, r.options, special_);
  const std::lock_guard lock(mutex_);
  if (closed_) throw RunError("the queue is closed: nothing more is translated");
  if (waiting_.size() >= limits_.waiting)
    throw RunError(cat(waiting_.size(), " requests are waiting, the maximum; try again later"));
  const size_t name = names_++;
  entries_.emplace(name, std::move(entry));
  waiting_.push_back(name);
  arrived_.notify_one();
  return name;
}

std::shared_ptr<LiveQueue::Entry> LiveQueue::find(size_t name) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : found->second;
}

bool LiveQueue::cancel(size_t name) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(name);
    if (found == entries_.end()) return false;
    found->second->cancelled = true;
    if (std::erase(waiting_, name) == 0) return true;  // a loop will see it
  }
  end(name, {LiveEnd::cancelled});
  return true;
}

void LiveQueue::close(bool finish) {
  std::deque<size_t> cancelled;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    if (!finish) cancelled.swap(waiting_);
    arrived_.notify_all();
  }
  for (const size_t name : cancelled) end(name, {LiveEnd::cancelled});
}

size_t LiveQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

std::optional<SentenceJob> LiveQueue::next(bool idle) {
  for (;;) {
    std::unique_lock lock(mutex_);
    if (idle) arrived_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return {};
    const size_t name = waiting_.front();
    waiting_.pop_front();
    const std::shared_ptr<Entry> entry = entries_.at(name);
    lock.unlock();
    if (const auto why = given_up(*entry)) {
      end(name, {*why});
      continue;
    }
    const LiveRequest& r = entry->request;
    return SentenceJob{name, &r.source, &r.options, &r.constraints, entry->strategy.get()};
  }
}

std::optional<LiveEnd> LiveQueue::given_up(const Entry& entry) {
  if (entry.cancelled) return LiveEnd::cancelled;
  if (entry.request.deadline && LiveRequest::Clock::now() > *entry.request.deadline) return LiveEnd::late;
  return {};
}

bool LiveQueue::wanted(const Sentence& sentence) {
  const std::shared_ptr<Entry> entry = find(sentence.source);
  if (const auto why = given_up(*entry)) {
    end(sentence.source, {*why});
    return false;
  }
  if (entry->request.on_step && !sentence.live.empty() && sentence.live.front().prefix.ids.size() > 1) {
    const Ids& ids = sentence.live.front().prefix.ids;
    entry->request.on_step(Ids(ids.begin() + 1, ids.end()));
  }
  return true;
}

void LiveQueue::done(size_t name, std::vector<Hypothesis> hypotheses) {
  end(name, {LiveEnd::finished, std::move(hypotheses)});
}

bool LiveQueue::failed(size_t name, const std::exception_ptr& error) {
  end(name, {LiveEnd::failed, {}, error});
  return true;
}

// The request is forgotten first: whoever is told of its end finds it gone.
void LiveQueue::end(size_t name, LiveResult result) {
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(name);
    HEXAPLA_CHECK(found != entries_.end(), "live queue: request ", name, " ends twice");
    entry = std::move(found->second);
    entries_.erase(found);
  }
  entry->request.on_end(std::move(result));
}

void serve(Context& cx, const Transformer& model, LiveQueue& queue) {
  const DecodingCapacity capacity = capacity_of(queue.limits());
  DecoderSteps steps(cx, model, capacity.tokens, capacity.cache_rows);
  DecodeLoop(steps, positions(model), queue, capacity).run(cx);
}

size_t live_memory(const Transformer& model, const LiveLimits& limits, DType dtype) {
  const DecodingCapacity c = capacity_of(limits);
  const int64_t hypotheses = c.sentences * c.widest;
  return decoding_memory(model.config,
                         {.source_tokens = c.tokens,
                          .hypotheses = hypotheses,
                          .logit_rows = hypotheses,
                          .longest = c.longest,
                          .cache_rows = c.cache_rows,
                          .candidates = 2 + std::max(2 * c.widest, most_candidates)},
                         dtype);
}

}  // namespace hexapla
