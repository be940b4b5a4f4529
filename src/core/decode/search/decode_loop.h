#pragma once
// The sentences that a worker has in progress: taken from a queue, begun a few at a time, stepped
// together, and returned when done. Steps: DecoderSteps or EnsembleSteps.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "decode/search/decoding_capacity.h"
#include "decode/search/sentence_queue.h"
#include "decode/steps/whole_steps.h"

namespace hexapla::decode {

template <class Steps>
class DecodeLoop {
 public:
  DecodeLoop(Steps& steps, int64_t positions, SentenceQueue& queue, const DecodingCapacity& capacity)
      : decoder_(steps), positions_(positions), queue_(queue), capacity_(capacity) {}

  // Runs until the queue has no sentence for an idle loop.
  void run(Context& cx) {
    while (begin()) {
      if (sentences_.empty()) continue;  // all sentences just begun have failed
      step(cx);
      give_back();
    }
  }

 private:
  // Begins sentences if there is enough room for several: encoding one at a time would be slow.
  // Returns whether there was work.
  bool begin() {
    drop_unwanted();
    const auto on_their_way = std::ssize(sentences_);
    if (8 * on_their_way > 7 * capacity_.sentences) return true;
    std::vector<SentenceJob> begun;
    while (std::ssize(sentences_) < capacity_.sentences && look()) {
      const std::optional<size_t> at = slot_for(*waiting_);
      if (!at) break;
      begun.push_back(*std::exchange(waiting_, {}));
      attempt(std::span(&begun.back(), 1), [&] { add(begun.back(), *at); });
    }
    // If the loop ended here, its sentences would silently stay without translations.
    HEXAPLA_CHECK(!(sentences_.empty() && waiting_), "search: there is no room even for one sentence of ",
                  waiting_ ? waiting_->source->size() : 0, " tokens");
    attempt(begun, [&] { encode(begun); });
    forget_failed();
    return !sentences_.empty() || !begun.empty();
  }

  void encode(const std::vector<SentenceJob>& begun) {
    std::vector<text::Ids> sources;
    std::vector<int64_t> first_rows;
    for (const SentenceJob& job : begun) {
      const auto s =
          std::find_if(sentences_.begin(), sentences_.end(), [&](const Sentence& x) { return x.source == job.name; });
      if (s == sentences_.end()) continue;  // it has failed
      sources.push_back(*job.source);
      first_rows.push_back(s->first_row);
    }
    if (!sources.empty()) decoder_.encode(sources, first_rows);
  }

  Sentence sentence(const SentenceJob& job) const {
    return {job.name,
            0,
            std::ssize(*job.source),
            longest_translation(positions_, *job.source, *job.options, *job.constraints),
            width(*job.options, *job.constraints),
            job.constraints,
            job.strategy,
            {},
            {}};
  }
  static int64_t rows_of(const Sentence& s) { return s.cap * s.width; }

  // The index to insert the sentence at, if there is memory for it.
  std::optional<size_t> slot_for(const SentenceJob& job) const {
    const Sentence s = sentence(job);
    if (held_rows_ + rows_of(s) > capacity_.cache_rows) return {};
    return gap(s.tokens);
  }

  void add(const SentenceJob& job, size_t at) {
    Sentence s = sentence(job);
    s.first_row = at == 0 ? 0 : sentences_[at - 1].first_row + sentences_[at - 1].tokens;
    job.strategy->begin(s);
    const int64_t rows = rows_of(s);
    sentences_.insert(sentences_.begin() + static_cast<std::ptrdiff_t>(at), std::move(s));
    held_rows_ += rows;
  }

  void step(Context& cx) {
    attempt(sentences_, [&] {
      const StepLayout rows(sentences_, capacity_.tokens);
      const NextLogits logits = decoder_.step(rows.prefixes, rows.offsets, rows.memory);
      for (size_t from = 0, to = 0; from < sentences_.size(); from = to) {
        while (to < sentences_.size() && sentences_[to].strategy == sentences_[from].strategy) ++to;
        const std::span<Sentence> some(sentences_.data() + from, to - from);
        attempt(some, [&] { choose(cx, logits, rows.first, from, to); });
      }
    });
    forget_failed();
  }

  // The sentences [from, to) have the same strategy.
  void choose(Context& cx, const NextLogits& logits, std::span<const int64_t> first, size_t from, size_t to) {
    const int64_t begin = first[from], end = to < first.size() ? first[to] : logits.rows();
    std::vector<int64_t> own(first.begin() + static_cast<std::ptrdiff_t>(from),
                             first.begin() + static_cast<std::ptrdiff_t>(to));
    for (int64_t& row : own) row -= begin;
    const std::span<Sentence> some(sentences_.data() + from, to - from);
    some.front().strategy->choose(cx, logits.slice(begin, end - begin), some, own);
  }

  static size_t name(const Sentence& s) { return s.source; }
  static size_t name(const SentenceJob& job) { return job.name; }

  // Runs f(). If it throws, the sentences fail; rethrows if the queue does not take the failure.
  // Failed sentences stay until forget_failed(), because the rows of the others are counted with
  // theirs.
  template <class Those, class F>
  void attempt(const Those& whose, F&& f) {
    try {
      f();
    } catch (...) {
      for (const auto& one : whose) {
        if (has_failed(name(one))) continue;
        if (!queue_.failed(name(one), std::current_exception())) throw;
        failed_.push_back(name(one));
      }
    }
  }
  bool has_failed(size_t name) const { return std::find(failed_.begin(), failed_.end(), name) != failed_.end(); }
  void forget_failed() {
    if (failed_.empty()) return;
    forget([&](const Sentence& s) { return has_failed(s.source); });
    failed_.clear();
  }

  void give_back() {
    forget([&](Sentence& s) {
      if (!s.live.empty()) return false;
      queue_.done(s.source, std::move(s.finished));
      return true;
    });
  }

  void drop_unwanted() {
    forget([&](const Sentence& s) { return !queue_.wanted(s); });
    if (waiting_ && !queue_.wanted(sentence(*waiting_))) waiting_.reset();
  }

  template <class F>
  void forget(F&& which) {
    std::erase_if(sentences_, [&](Sentence& s) {
      if (!which(s)) return false;
      held_rows_ -= rows_of(s);
      return true;
    });
  }

  bool look() {
    if (!waiting_) waiting_ = queue_.next(sentences_.empty());
    return waiting_.has_value();
  }

  // The index before which there are `tokens` free memory rows.
  std::optional<size_t> gap(int64_t tokens) const {
    int64_t free = 0;
    for (size_t i = 0; i < sentences_.size(); ++i) {
      if (sentences_[i].first_row - free >= tokens) return i;
      free = sentences_[i].first_row + sentences_[i].tokens;
    }
    if (capacity_.tokens - free < tokens) return {};
    return sentences_.size();
  }

  Steps& decoder_;
  int64_t positions_;
  SentenceQueue& queue_;
  DecodingCapacity capacity_;
  std::vector<Sentence> sentences_;     // by first row
  int64_t held_rows_ = 0;               // upper bound of cache rows
  std::vector<size_t> failed_;          // in this step
  std::optional<SentenceJob> waiting_;  // taken from the queue, not yet begun
};

// Runs a loop with one model until the queue is empty.
inline void run_loop(Context& cx, const model::Transformer& model, SentenceQueue& queue,
                     const DecodingCapacity& capacity, const SearchOptions& options) {
  if (options.without_cache) {
    WholeSteps steps(cx, model, capacity.longest);
    return DecodeLoop(steps, positions(model), queue, capacity).run(cx);
  }
  DecoderSteps steps(cx, model, capacity.tokens, capacity.cache_rows, options.shortlist);
  DecodeLoop(steps, positions(model), queue, capacity).run(cx);
}

}  // namespace hexapla::decode
