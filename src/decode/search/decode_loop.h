#pragma once
// The sentences that a worker has on their way: drawn from a queue, begun a few together, stepped together, given back
// as each is done. Steps: DecoderSteps or a sibling.
#include <optional>
#include <utility>
#include <vector>

#include "decode/search/decoding_capacity.h"
#include "decode/search/decoding_strategy.h"

namespace hexapla {

template <class Steps>
class DecodeLoop {
 public:
  DecodeLoop(Steps& steps, int64_t positions, Queue& queue, const SearchOptions& options, DecodingStrategy& strategy)
      : decoder_(steps),
        positions_(positions),
        queue_(queue),
        options_(options),
        strategy_(strategy),
        capacity_(positions, queue, options) {}

  void run(Context& cx, const Done& done) {
    while (begin()) {
      step(cx);
      give_back(done);
    }
  }

 private:
  // Begins sentences while there is room and enough of it: encoding one at a time would be slow. -> is there work?
  bool begin() {
    const auto on_their_way = static_cast<int64_t>(sentences_.size());
    if (8 * on_their_way > 7 * capacity_.sentences) return true;
    std::vector<Ids> sources;
    std::vector<int64_t> places;
    while (static_cast<int64_t>(sentences_.size()) < capacity_.sentences && look()) {
      const Ids& source = queue_.sources[*waiting_];
      const auto tokens = static_cast<int64_t>(source.size());
      const SentenceConstraints& request = queue_.requests.empty() ? nothing_ : queue_.requests[*waiting_];
      const int64_t cap = longest_translation(positions_, source, options_, request);
      const int64_t hypotheses = width(options_, request);
      const std::optional<size_t> at = gap(tokens);
      if (!at || held_rows_ + cap * hypotheses > capacity_.cache_rows) break;
      const int64_t place = *at == 0 ? 0 : sentences_[*at - 1].place + sentences_[*at - 1].tokens;
      const auto s = sentences_.insert(sentences_.begin() + static_cast<std::ptrdiff_t>(*at),
                                       {*waiting_, place, tokens, cap, hypotheses, {}, {}});
      strategy_.begin(*s);
      held_rows_ += cap * hypotheses;
      sources.push_back(source);
      places.push_back(place);
      waiting_.reset();
    }
    // A queue that ended here would leave its sentences without translations, and nobody would know.
    HEXAPLA_CHECK(!(sentences_.empty() && waiting_), "search: there is no room even for one sentence of ",
                  queue_.sources[waiting_.value_or(0)].size(), " tokens");
    if (!sources.empty()) decoder_.encode(sources, places);
    return !sentences_.empty();
  }

  void step(Context& cx) {
    const StepLayout rows(sentences_, capacity_.tokens);
    const Tensor logits = decoder_.step(rows.prefixes, rows.starts, rows.memory);
    strategy_.choose(cx, logits, sentences_, rows.first);
  }

  void give_back(const Done& done) {
    std::erase_if(sentences_, [&](Sentence& s) {
      if (!s.live.empty()) return false;
      done(s.source, std::move(s.finished));
      held_rows_ -= s.cap * s.width;
      return true;
    });
  }

  bool look() {
    if (waiting_) return true;
    const size_t next = queue_.next++;
    if (next < queue_.order.size()) waiting_ = queue_.order[next];
    return waiting_.has_value();
  }

  // Before which sentence there are so many memory rows that nobody has.
  std::optional<size_t> gap(int64_t tokens) const {
    int64_t free = 0;
    for (size_t i = 0; i < sentences_.size(); ++i) {
      if (sentences_[i].place - free >= tokens) return i;
      free = sentences_[i].place + sentences_[i].tokens;
    }
    if (capacity_.tokens - free < tokens) return {};
    return sentences_.size();
  }

  Steps& decoder_;
  int64_t positions_;
  Queue& queue_;
  const SearchOptions& options_;
  DecodingStrategy& strategy_;
  const SentenceConstraints nothing_;
  DecodingCapacity capacity_;
  std::vector<Sentence> sentences_;  // by place
  int64_t held_rows_ = 0;            // of the cache, at most
  std::optional<size_t> waiting_;    // taken from the queue, not yet begun
};

}  // namespace hexapla
