#include "decode/search.h"

#include <algorithm>
#include <cmath>

namespace hexapla {
namespace {

struct Live {
  Prefix prefix;
  double score = 0;
};

// One sentence on its way.
struct Sentence {
  int64_t cap;  // tokens of a translation, </s> counted
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

std::vector<Sentence> begin(const Transformer& model, std::span<const Ids> sources, const SearchOptions& options,
                            const SpecialIds& special) {
  std::vector<Sentence> sentences;
  for (const Ids& source : sources)
    sentences.push_back({longest_translation(model, source, options), {{{{special.bos}, {}}, 0}}, {}});
  return sentences;
}

int64_t cache_rows(const std::vector<Sentence>& sentences, int64_t beam_size) {
  int64_t rows = 0;
  for (const Sentence& s : sentences) rows += s.cap * beam_size;
  return rows;
}

Hypothesis finish(const Live& live, double last, const LengthPenalty& penalty) {
  const double score = live.score + last;
  const Ids ids(live.prefix.ids.begin() + 1, live.prefix.ids.end());
  return {ids, score, score / divisor(penalty, static_cast<int64_t>(ids.size()) + 1)};
}

// All the hypotheses of a batch, sentence by sentence.
struct Rows {
  std::vector<Prefix*> prefixes;
  std::vector<int32_t> starts{0};

  explicit Rows(std::vector<Sentence>& sentences) {
    for (Sentence& s : sentences) {
      for (Live& live : s.live) prefixes.push_back(&live.prefix);
      starts.push_back(static_cast<int32_t>(prefixes.size()));
    }
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

std::vector<std::vector<Hypothesis>> search(Context& cx, const Transformer& model, std::span<const Ids> sources,
                                            const SearchOptions& options, const SpecialIds& special) {
  check(options);
  if (sources.empty()) return {};
  std::vector<Sentence> sentences = begin(model, sources, options, special);
  const int64_t needed = 2 * options.beam_size;  // at most beam_size of them end
  DecoderSteps decoder(cx, model, sources, cache_rows(sentences, options.beam_size));
  for (int64_t length = 1;; ++length) {
    const Rows rows(sentences);
    if (rows.prefixes.empty()) break;
    const Tensor logits = decoder.step(rows.prefixes, rows.starts);
    const Best best(cx, logits, needed, special);
    for (size_t b = 0; b < sentences.size(); ++b) {
      Sentence& s = sentences[b];
      if (s.live.empty()) continue;
      if (length < s.cap) {
        advance(s, expand(s, best, rows.starts[b], static_cast<size_t>(needed)), options, special.eos);
      } else {
        const auto n = static_cast<int64_t>(s.live.size());
        const std::vector<double> ends = end_scores(cx, logits.slice(rows.starts[b], n), special);
        for (size_t i = 0; i < s.live.size(); ++i)
          s.finished.push_back(finish(s.live[i], ends[i], options.length_penalty));
        s.live.clear();
      }
      retire(s, options);
    }
  }
  std::vector<std::vector<Hypothesis>> results;
  for (Sentence& s : sentences) {
    s.finished.resize(std::min(s.finished.size(), static_cast<size_t>(options.n_best)));
    results.push_back(std::move(s.finished));
  }
  return results;
}

std::vector<Hypothesis> greedy(Context& cx, const Transformer& model, std::span<const Ids> sources,
                               const SearchOptions& options, const SpecialIds& special) {
  if (sources.empty()) return {};
  std::vector<Sentence> sentences = begin(model, sources, options, special);
  DecoderSteps decoder(cx, model, sources, cache_rows(sentences, 1));
  for (int64_t length = 1;; ++length) {
    const Rows rows(sentences);
    if (rows.prefixes.empty()) break;
    const Tensor logits = decoder.step(rows.prefixes, rows.starts);
    const Best best(cx, logits, 1, special);
    for (size_t b = 0; b < sentences.size(); ++b) {
      Sentence& s = sentences[b];
      if (s.live.empty()) continue;
      const auto [score, id] = length < s.cap
                                   ? best.first(rows.starts[b])
                                   : Token{end_scores(cx, logits.slice(rows.starts[b], 1), special)[0], special.eos};
      if (id == special.eos) {
        s.finished = {finish(s.live[0], score, options.length_penalty)};
        s.live.clear();
      } else {
        s.live[0].score += score;
        s.live[0].prefix.ids.push_back(id);
      }
    }
  }
  std::vector<Hypothesis> results;
  for (Sentence& s : sentences) results.push_back(std::move(s.finished.front()));
  return results;
}

size_t search_memory(const Transformer& model, std::span<const Ids> sources, const SearchOptions& options,
                     DType dtype) {
  DecodingSizes sizes{};
  sizes.candidates = 2 * options.beam_size + 2;
  for (const Ids& source : sources) {
    const int64_t cap = longest_translation(model, source, options);
    sizes.source_tokens += static_cast<int64_t>(source.size());
    sizes.hypotheses += options.beam_size;
    sizes.logit_rows += options.beam_size;
    sizes.longest = std::max({sizes.longest, cap, static_cast<int64_t>(source.size())});
    sizes.cache_rows += cap * options.beam_size;
  }
  return decoding_memory(model.config, sizes, dtype);
}

}  // namespace hexapla
