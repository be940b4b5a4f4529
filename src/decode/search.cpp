#include "decode/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace hexapla {
namespace {

struct Live {
  Prefix prefix;
  double score = 0;
};

// One sentence on its way.
struct Sentence {
  size_t source;
  int64_t place, tokens;  // its memory rows
  int64_t cap;            // tokens of a translation, </s> counted
  std::vector<Live> live;
  std::vector<Hypothesis> finished;
};

struct Candidate {
  double score, last;  // of the whole hypothesis, of its last token alone
  size_t beam;
  int32_t id;
};

double number(Tensor t, int64_t i) { return t.dtype == DType::f64 ? t.data<double>()[i] : t.data<float>()[i]; }

// A translation of S source tokens has at most S + extra_length tokens, and no more than there are learned positions.
int64_t longest_translation(const Transformer& model, const Ids& source, const SearchOptions& options) {
  const int64_t cap = static_cast<int64_t>(source.size()) + options.extra_length;
  return model.config.positions == "learned" ? std::min(cap, model.config.max_positions) : cap;
}

// What a worker has memory for.
struct Room {
  int64_t sentences = 0, tokens = 0, cache_rows = 0, longest = 0;

  Room(const Transformer& model, const Queue& q, const SearchOptions& options) {
    int64_t all = 0, caps = 0, longest_source = 0;
    for (const size_t i : q.order) {
      const auto n = static_cast<int64_t>(q.sources[i].size());
      const int64_t cap = longest_translation(model, q.sources[i], options);
      all += n, caps += cap;
      longest_source = std::max(longest_source, n);
      longest = std::max({longest, n, cap});
    }
    sentences = std::min(q.sentences, static_cast<int64_t>(q.order.size()));
    tokens = std::max(longest_source, std::min(q.tokens, all));
    cache_rows = options.beam_size * std::min(caps, tokens + sentences * options.extra_length);
  }
};

Hypothesis finish(const Live& live, double last, const LengthPenalty& penalty) {
  const double score = live.score + last;
  const Ids ids(live.prefix.ids.begin() + 1, live.prefix.ids.end());
  return {ids, score, score / divisor(penalty, static_cast<int64_t>(ids.size()) + 1)};
}

// All the hypotheses of the sentences on their way, which stand in the order of their places. Between two of them there
// may be memory that nobody looks at: as if a sentence without hypotheses stood there.
struct Rows {
  std::vector<Prefix*> prefixes;
  std::vector<int32_t> starts, memory;
  std::vector<int64_t> first;  // of each sentence

  // tokens: memory rows in all
  Rows(std::vector<Sentence>& sentences, int64_t tokens) {
    int64_t gap = 0;
    for (Sentence& s : sentences) {
      if (s.place > gap) begin(gap);
      begin(s.place);
      first.push_back(static_cast<int64_t>(prefixes.size()));
      for (Live& live : s.live) prefixes.push_back(&live.prefix);
      gap = s.place + s.tokens;
    }
    if (tokens > gap) begin(gap);
    begin(tokens);
  }

 private:
  void begin(int64_t row) {
    memory.push_back(static_cast<int32_t>(row));
    starts.push_back(static_cast<int32_t>(prefixes.size()));
  }
};

struct Token {
  double score;  // log-probability
  int32_t id;
};

// The k most probable tokens of each row of logits that may be written, best first.
class Best {
 public:
  // Asks for two more than are needed, because <s> and padding may be among them.
  Best(Context& cx, Tensor logits, int64_t needed, const SpecialIds& special) : special_(special) {
    k_ = std::min(needed + 2, logits.shape[1]);
    scores_ = cx.keep({logits.shape[0], k_});
    ids_ = cx.keep({logits.shape[0], k_}, DType::i32);
    cx.backend.log_softmax_top(logits, k_, scores_, ids_);
  }
  // f(score, id), best first, until it returns false.
  template <class F>
  void visit(int64_t row, F&& f) const {
    for (int64_t i = row * k_; i < (row + 1) * k_; ++i) {
      const int32_t id = ids_.data<int32_t>()[i];
      const double score = number(scores_, i);
      if (std::isnan(score))
        throw RunError(
            "the model's output is not a number (NaN), so there is no best word; train it again, with a "
            "lower learning rate if its loss was not a number, either");
      if (id != special_.bos && id != special_.pad && !f(score, id)) return;
    }
  }
  Token first(int64_t row) const {
    Token token{};
    visit(row, [&](double score, int32_t id) {
      token = {score, id};
      return false;
    });
    return token;
  }

 private:
  SpecialIds special_;
  int64_t k_;
  Tensor scores_, ids_;
};

// log p(</s>) of each row.
std::vector<double> end_scores(Context& cx, Tensor logits, const SpecialIds& special) {
  const Tensor log_p = log_softmax(cx, logits);
  std::vector<double> scores;
  for (int64_t i = 0; i < logits.shape[0]; ++i) scores.push_back(number(log_p, i * logits.shape[1] + special.eos));
  return scores;
}

// Expand: the candidates of one sentence, best first; among equals the lower beam, then the order of the row.
std::vector<Candidate> expand(const Sentence& s, const Best& best, int64_t first_row, size_t needed) {
  std::vector<Candidate> all;
  for (size_t beam = 0; beam < s.live.size(); ++beam) {
    size_t taken = 0;
    best.visit(first_row + static_cast<int64_t>(beam), [&](double score, int32_t id) {
      all.push_back({s.live[beam].score + score, score, beam, id});
      return ++taken < needed;
    });
  }
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  all.resize(std::min(all.size(), needed));
  return all;
}

// Choose and move: what ends among the first beam_size is finished, the best that do not end go on.
void advance(Sentence& s, const std::vector<Candidate>& candidates, const SearchOptions& options, int32_t eos) {
  const auto beam_size = static_cast<size_t>(options.beam_size);
  std::vector<Live> next;
  for (size_t rank = 0; rank < candidates.size() && next.size() < beam_size; ++rank) {
    const Candidate& c = candidates[rank];
    const Live& ancestor = s.live[c.beam];
    if (c.id != eos) {
      next.push_back({ancestor.prefix, c.score});
      next.back().prefix.ids.push_back(c.id);
    } else if (rank < beam_size) {
      s.finished.push_back(finish(ancestor, c.last, options.length_penalty));
    }
  }
  s.live = std::move(next);
}

void sort_finished(Sentence& s) {
  std::stable_sort(s.finished.begin(), s.finished.end(),
                   [](const Hypothesis& a, const Hypothesis& b) { return a.normalised > b.normalised; });
}

// No live hypothesis can pass the worst of the n_best finished ones: a score only falls as tokens are added, and its
// divisor is largest or smallest at the next length or at the longest.
bool settled(const Sentence& s, const SearchOptions& options) {
  const auto n_best = static_cast<size_t>(options.n_best);
  if (s.live.empty() || s.finished.size() >= static_cast<size_t>(options.beam_size)) return true;
  if (s.finished.size() < n_best) return false;
  const Live& best = s.live.front();
  const auto next = static_cast<int64_t>(best.prefix.ids.size());  // <s> stands for the </s> that may come
  const double bound =
      std::max(best.score / divisor(options.length_penalty, next), best.score / divisor(options.length_penalty, s.cap));
  return bound <= s.finished[n_best - 1].normalised;
}

// Retire: a sentence that is done leaves the batch.
void retire(Sentence& s, const SearchOptions& options) {
  sort_finished(s);
  if (settled(s, options)) s.live.clear();
}

}  // namespace

void check(const SearchOptions& options) {
  if (options.beam_size < 1 || options.beam_size > 1000)
    throw UsageError(cat("--beam-size ", options.beam_size, " is out of range; 1 to 1000 hypotheses can be kept"));
  if (options.n_best < 1 || options.n_best > options.beam_size)
    throw UsageError(cat("--n-best ", options.n_best, " is out of range; a beam of ", options.beam_size, " gives 1 to ",
                         options.beam_size, " translations, raise --beam-size for more"));
  if (options.extra_length < 0 || options.extra_length > 1'000'000)
    throw UsageError(cat("--extra-length ", options.extra_length, " is out of range; give 0 to 1000000 tokens"));
}

SpecialIds special_ids(const Vocabulary& target) { return {target.bos(), target.eos(), target.pad()}; }

namespace {

// The sentences that a worker has on their way.
class Worker {
 public:
  Worker(Context& cx, const Transformer& model, Queue& queue, const SearchOptions& options, const SpecialIds& special)
      : cx_(cx),
        model_(model),
        queue_(queue),
        options_(options),
        special_(special),
        room_(model, queue, options),
        decoder_(cx, model, room_.tokens, room_.cache_rows) {}

  // Begins sentences while there is room and enough of it: encoding one at a time would be slow. -> is there work?
  bool begin() {
    const auto on_their_way = static_cast<int64_t>(sentences_.size());
    if (8 * on_their_way > 7 * room_.sentences) return true;
    std::vector<Ids> sources;
    std::vector<int64_t> places;
    while (static_cast<int64_t>(sentences_.size()) < room_.sentences && look()) {
      const Ids& source = queue_.sources[*waiting_];
      const auto tokens = static_cast<int64_t>(source.size());
      const int64_t cap = longest_translation(model_, source, options_);
      const std::optional<size_t> at = gap(tokens);
      if (!at || held_rows_ + cap * options_.beam_size > room_.cache_rows) break;
      const int64_t place = *at == 0 ? 0 : sentences_[*at - 1].place + sentences_[*at - 1].tokens;
      sentences_.insert(sentences_.begin() + static_cast<std::ptrdiff_t>(*at),
                        {*waiting_, place, tokens, cap, {{{{special_.bos}, {}}, 0}}, {}});
      held_rows_ += cap * options_.beam_size;
      sources.push_back(source);
      places.push_back(place);
      waiting_.reset();
    }
    if (!sources.empty()) decoder_.encode(sources, places);
    return !sentences_.empty();
  }

  void step() {
    const Rows rows(sentences_, room_.tokens);
    const int64_t needed = 2 * options_.beam_size;  // at most beam_size of them end
    const Tensor logits = decoder_.step(rows.prefixes, rows.starts, rows.memory);
    const Best best(cx_, logits, needed, special_);
    for (size_t i = 0; i < sentences_.size(); ++i) {
      Sentence& s = sentences_[i];
      if (static_cast<int64_t>(s.live.front().prefix.ids.size()) < s.cap)
        advance(s, expand(s, best, rows.first[i], static_cast<size_t>(needed)), options_, special_.eos);
      else
        end(s, logits.slice(rows.first[i], static_cast<int64_t>(s.live.size())));
      retire(s, options_);
    }
  }

  void give_back(const Done& done) {
    std::erase_if(sentences_, [&](Sentence& s) {
      if (!s.live.empty()) return false;
      s.finished.resize(std::min(s.finished.size(), static_cast<size_t>(options_.n_best)));
      done(s.source, std::move(s.finished));
      held_rows_ -= s.cap * options_.beam_size;
      return true;
    });
  }

 private:
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
    if (room_.tokens - free < tokens) return {};
    return sentences_.size();
  }

  // At the longest length every hypothesis gets </s>.
  void end(Sentence& s, Tensor logits) {
    const std::vector<double> ends = end_scores(cx_, logits, special_);
    for (size_t i = 0; i < s.live.size(); ++i)
      s.finished.push_back(finish(s.live[i], ends[i], options_.length_penalty));
    s.live.clear();
  }

  Context& cx_;
  const Transformer& model_;
  Queue& queue_;
  const SearchOptions& options_;
  SpecialIds special_;
  Room room_;
  DecoderSteps decoder_;
  std::vector<Sentence> sentences_;  // by place
  int64_t held_rows_ = 0;            // of the cache, at most
  std::optional<size_t> waiting_;    // taken from the queue, not yet begun
};

// All of the sources at a time, in their order.
struct Everything {
  std::vector<size_t> order;
  Queue queue;
  explicit Everything(std::span<const Ids> sources)
      : order(sources.size()), queue{sources, order, static_cast<int64_t>(sources.size()), all_tokens(sources)} {
    std::iota(order.begin(), order.end(), size_t{0});
  }
  static int64_t all_tokens(std::span<const Ids> sources) {
    int64_t n = 0;
    for (const Ids& s : sources) n += static_cast<int64_t>(s.size());
    return n;
  }
};

}  // namespace

void search(Context& cx, const Transformer& model, Queue& queue, const SearchOptions& options,
            const SpecialIds& special, const Done& done) {
  check(options);
  Worker worker(cx, model, queue, options, special);
  while (worker.begin()) {
    worker.step();
    worker.give_back(done);
  }
}

std::vector<std::vector<Hypothesis>> search(Context& cx, const Transformer& model, std::span<const Ids> sources,
                                            const SearchOptions& options, const SpecialIds& special) {
  Everything all(sources);
  std::vector<std::vector<Hypothesis>> results(sources.size());
  search(cx, model, all.queue, options, special,
         [&](size_t place, std::vector<Hypothesis> found) { results[place] = std::move(found); });
  return results;
}

std::vector<Hypothesis> greedy(Context& cx, const Transformer& model, std::span<const Ids> sources,
                               const SearchOptions& options, const SpecialIds& special) {
  if (sources.empty()) return {};
  std::vector<Live> live;
  std::vector<Hypothesis> results(sources.size());
  int64_t cache_rows = 0;
  for (size_t b = 0; b < sources.size(); ++b) {
    live.push_back({{{special.bos}, {}}, 0});
    cache_rows += longest_translation(model, sources[b], options);
  }
  std::vector<bool> ended(sources.size());
  DecoderSteps decoder(cx, model, sources, cache_rows);
  for (int64_t length = 1;; ++length) {
    std::vector<Prefix*> prefixes;
    std::vector<int32_t> starts{0};
    for (size_t b = 0; b < live.size(); ++b) {
      if (!ended[b]) prefixes.push_back(&live[b].prefix);
      starts.push_back(static_cast<int32_t>(prefixes.size()));
    }
    if (prefixes.empty()) return results;
    const Tensor logits = decoder.step(prefixes, starts);
    const Best best(cx, logits, 1, special);
    for (size_t b = 0; b < live.size(); ++b) {
      if (ended[b]) continue;
      const auto [score, id] = length < longest_translation(model, sources[b], options)
                                   ? best.first(starts[b])
                                   : Token{end_scores(cx, logits.slice(starts[b], 1), special)[0], special.eos};
      if (id == special.eos) {
        results[b] = finish(live[b], score, options.length_penalty);
        ended[b] = true;
      } else {
        live[b].score += score;
        live[b].prefix.ids.push_back(id);
      }
    }
  }
}

size_t search_memory(const Transformer& model, const Queue& queue, const SearchOptions& options, DType dtype) {
  const Room room(model, queue, options);
  const int64_t hypotheses = room.sentences * options.beam_size;
  return decoding_memory(model.config,
                         {.source_tokens = room.tokens,
                          .hypotheses = hypotheses,
                          .logit_rows = hypotheses,
                          .longest = room.longest,
                          .cache_rows = room.cache_rows,
                          .candidates = 2 * options.beam_size + 2},
                         dtype);
}

size_t search_memory(const Transformer& model, std::span<const Ids> sources, const SearchOptions& options,
                     DType dtype) {
  return search_memory(model, Everything(sources).queue, options, dtype);
}

}  // namespace hexapla
