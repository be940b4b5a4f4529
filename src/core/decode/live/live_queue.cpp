#include "decode/live/live_queue.h"

#include <algorithm>
#include <system_error>

#include "base/error.h"
#include "decode/strategies/make_strategy.h"
#include "decode/strategies/sampler.h"

namespace hexapla::decode {

LiveLimits LiveLimits::shared_by(int loops) const {
  LiveLimits each = *this;
  each.sentences = std::max(sentences / loops, std::min<int64_t>(sentences, 16));
  each.tokens = std::max(tokens / loops, std::min(tokens, longest_source));
  each.cache_rows = std::max(cache_rows / loops, std::min(cache_rows, longest * widest));
  return each;
}

bool LiveLimits::reduce() {
  if (sentences > 1) {
    sentences /= 2;
    tokens = std::max(tokens / 2, std::min(tokens, longest_source));
    cache_rows = std::max(cache_rows / 2, std::min(cache_rows, longest * widest));
  } else if (longest_source > 64) {  // a short line with the usual options still fits
    longest_source /= 2, longest /= 2;
    tokens = std::min(tokens, longest_source);
    cache_rows = std::min(cache_rows, longest * widest);
  } else {
    return false;
  }
  return reduced = true;
}

LiveQueue::LiveQueue(const LiveLimits& limits, const SpecialIds& special, int64_t positions, const PieceTexts* pieces)
    : limits_(limits), special_(special), positions_(positions), pieces_(pieces) {}

LiveQueue::~LiveQueue() {
  {
    const std::lock_guard lock(mutex_);
    gone_ = true;
    closed_ = true;
    earlier_.notify_one();
  }
  if (deadline_watch_.joinable()) deadline_watch_.join();
  while (!entries_.empty()) end(entries_.begin()->first, {LiveEnd::canceled});
}

void LiveQueue::check(const LiveRequest& request) const {
  decode::check(request.options);
  const auto refuse = [this](const char* what, int64_t is, int64_t limit) {
    if (is <= limit) return;
    const std::string wrong = cat("the request has ", is, " ", what, ", but ");
    if (!limits_.reduced) throw UsageError(cat(wrong, "this queue takes at most ", limit));
    throw OutOfMemory(cat(wrong, "there is memory for ", limit,
                          "; give shorter lines, lower `beam-size` or `extra-length`, or let this process have more"));
  };
  const int64_t cap = longest_translation(positions_, request.source, request.options, request.constraints);
  const int64_t hypotheses = width(request.options, request.constraints);
  HEXAPLA_CHECK(!request.source.empty() && request.on_end, "live queue: a request without a source, or without on_end");
  refuse("source tokens", std::ssize(request.source), std::min({limits_.longest_source, limits_.tokens, positions_}));
  refuse("tokens that its translation may have", cap, limits_.longest);
  refuse("hypotheses at a time", hypotheses, limits_.widest);
  refuse("tokens of its hypotheses together", cap * hypotheses, limits_.cache_rows);
  if (request.options.sampling)
    refuse("tokens that are drawn among", best_of_a_row(*request.options.sampling), kMostLiveCandidates);
}

std::shared_ptr<LiveQueue::Entry> LiveQueue::entry(LiveRequest request) const {
  check(request);
  auto entry = std::make_shared<Entry>();
  entry->request = std::move(request);
  const LiveRequest& r = entry->request;
  entry->strategy = make_strategy({{&r.constraints, 1}, pieces_}, r.options, special_);
  return entry;
}

size_t LiveQueue::submit(LiveRequest request) {
  std::vector<LiveRequest> one;
  one.push_back(std::move(request));
  return submit_all(std::move(one));
}

size_t LiveQueue::submit_all(std::vector<LiveRequest> requests) {
  if (requests.size() > limits_.waiting)
    throw UsageError(cat("the request has ", requests.size(), " sentences, but in this queue at most ", limits_.waiting,
                         " may wait; give fewer at a time"));
  std::vector<std::shared_ptr<Entry>> entries;
  for (LiveRequest& r : requests) entries.push_back(entry(std::move(r)));
  const std::lock_guard lock(mutex_);
  if (closed_) throw RunError("the queue is closed: nothing more is translated");
  if (turns_.waiting() + entries.size() > limits_.waiting)
    throw RunError(
        cat(turns_.waiting(), " requests are waiting, and at most ", limits_.waiting, " may; try again later"));
  const bool deadlines = std::any_of(entries.begin(), entries.end(), [](const auto& e) { return e->request.deadline; });
  if (deadlines) start_deadlines();
  const size_t first = names_;
  for (std::shared_ptr<Entry>& e : entries) await(names_++, std::move(e));
  return first;
}

// Call with the mutex held.
void LiveQueue::await(size_t name, std::shared_ptr<Entry> entry) {
  if (const auto& deadline = entry->request.deadline) {
    deadlines_.emplace(*deadline, name);
    if (*deadline < watching_until_) earlier_.notify_one();
  }
  turns_.add(entry->request.client, name, LiveRequest::Clock::now());
  entries_.emplace(name, std::move(entry));
  arrived_.notify_one();
}

void LiveQueue::forget_deadline(size_t name, const Entry& entry) {
  if (entry.request.deadline) deadlines_.erase({*entry.request.deadline, name});
}

// Returns whether it was waiting. Call with the mutex held.
bool LiveQueue::wait_no_more(size_t name) {
  const Entry& entry = *entries_.at(name);
  forget_deadline(name, entry);
  return turns_.forget(entry.request.client, name);
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
    found->second->canceled = true;
    if (!wait_no_more(name)) return true;  // a loop will notice
  }
  end(name, {LiveEnd::canceled});
  return true;
}

void LiveQueue::close(bool finish) {
  std::deque<size_t> canceled;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    if (!finish) {
      canceled = turns_.forget_all();
      deadlines_.clear();
    }
    arrived_.notify_all();
  }
  for (const size_t name : canceled) end(name, {LiveEnd::canceled});
}

size_t LiveQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return turns_.waiting();
}

void LiveQueue::join() {
  const std::lock_guard lock(mutex_);
  ++loops_;
}

void LiveQueue::leave() {
  const std::lock_guard lock(mutex_);
  --loops_;
}

// With n requests and k loops, each loop takes up to n / k, rounded up, so that no request waits
// while a loop has less than its share.
std::optional<SentenceJob> LiveQueue::next(bool idle, size_t held, const std::function<void()>& rest) {
  for (;;) {
    std::unique_lock lock(mutex_);
    const auto now = LiveRequest::Clock::now;
    std::optional<size_t> name;
    const auto is_over = [&] { return (name = turns_.next(loops_, now())) || (closed_ && turns_.waiting() == 0); };
    if (idle && rest && !arrived_.wait_for(lock, std::chrono::seconds(1), is_over)) {
      lock.unlock();
      rest();
      lock.lock();
    }
    if (idle && !name)
      arrived_.wait(lock, is_over);
    else if (!idle && turns_.more_than(held * loops_, loops_, now()))
      name = turns_.next(loops_, now());
    if (!name) return {};
    const std::shared_ptr<Entry> entry = entries_.at(*name);
    entry->begun = true;
    forget_deadline(*name, *entry);
    lock.unlock();
    if (const auto why = given_up(*entry)) {
      end(*name, {*why});
      continue;
    }
    const LiveRequest& r = entry->request;
    return SentenceJob{*name, &r.source, &r.options, &r.constraints, entry->strategy.get()};
  }
}

std::optional<LiveEnd> LiveQueue::given_up(const Entry& entry) {
  if (entry.canceled || (entry.request.stop && *entry.request.stop)) return LiveEnd::canceled;
  if (entry.request.deadline && LiveRequest::Clock::now() >= *entry.request.deadline) return LiveEnd::late;
  return {};
}

bool LiveQueue::wanted(const Sentence& sentence) {
  const std::shared_ptr<Entry> entry = find(sentence.source);
  if (const auto why = given_up(*entry)) {
    end(sentence.source, {*why});
    return false;
  }
  if (!entry->request.on_step || sentence.live.empty() || sentence.live.front().prefix.ids.size() < 2) return true;
  try {
    const text::Ids& ids = sentence.live.front().prefix.ids;
    entry->request.on_step(text::Ids(ids.begin() + 1, ids.end()));
  } catch (...) {
    failed(sentence.source, std::current_exception());
    return false;
  }
  return true;
}

void LiveQueue::found(size_t name, std::vector<Hypothesis> hypotheses, Context& cx, const model::Transformer& model) {
  const std::shared_ptr<Entry> entry = find(name);
  try {
    if (entry->request.on_found) entry->request.on_found(cx, model, hypotheses);
  } catch (...) {
    failed(name, std::current_exception());
    return;
  }
  end(name, {LiveEnd::finished, std::move(hypotheses)});
}

// Call with the mutex held.
void LiveQueue::start_deadlines() {
  if (deadline_watch_.joinable()) return;
  try {
    deadline_watch_ = std::thread([this] { watch_deadlines(); });
  } catch (const std::system_error& e) {
    throw RunError(cat("the thread that watches deadlines cannot be started: ", e.what(),
                       "; let this process have more threads (ulimit -u, the limit of its container)"));
  }
}

// Answers waiting requests when they are late, even if no loop has time for them. Nearly all
// requests begin before their deadline: instead of being woken for each of them, this keeps
// sleeping until the earliest deadline that it knew.
void LiveQueue::watch_deadlines() {
  std::unique_lock lock(mutex_);
  while (!gone_) {
    watching_until_ = deadlines_.empty() ? LiveRequest::Clock::time_point::max() : deadlines_.begin()->first;
    if (deadlines_.empty()) {
      earlier_.wait(lock);
    } else if (LiveRequest::Clock::now() < watching_until_) {
      earlier_.wait_until(lock, watching_until_);
    } else {
      const size_t name = deadlines_.begin()->second;
      wait_no_more(name);
      lock.unlock();
      end(name, {LiveEnd::late});
      lock.lock();
    }
  }
}

// Removes the request first, so that its callback finds it gone.
void LiveQueue::end(size_t name, LiveResult result) {
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(name);
    HEXAPLA_CHECK(found != entries_.end(), "live queue: request ", name, " ends twice");
    entry = std::move(found->second);
    entries_.erase(found);
    if (entry->begun) turns_.ended(entry->request.client);
    if (turns_.waiting() > 0) arrived_.notify_one();  // its client may begin another one
    if (closed_ && turns_.waiting() == 0) arrived_.notify_all();
  }
  try {
    entry->request.on_end(std::move(result));
  } catch (...) {  // NOLINT(bugprone-empty-catch): must not affect other requests
  }
}

}  // namespace hexapla::decode
