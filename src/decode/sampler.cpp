#include "decode/sampler.h"

#include <algorithm>
#include <limits>

#include "base/random.h"

namespace hexapla {
namespace {

constexpr uint32_t attempts = 64;  // before what is forbidden is taken out of the distribution one by one

// The first place at which the running sum of the weights passes u times their sum.
size_t place(std::span<const double> weights, double u) {
  double sum = 0;
  for (const double w : weights) sum += w;
  const double wanted = u * sum;
  double running = 0;
  size_t last = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    last = i;
    if ((running += weights[i]) > wanted) return i;
  }
  return last;
}

}  // namespace

// How many of a row are sought at once; where a nucleus has more, the row is sorted.
int64_t best_of_a_row(const SamplingOptions& o) { return o.top_k > 0 ? o.top_k : o.top_p < 1 ? 62 : 1; }

double draw(const DrawKey& key, uint32_t attempt) {
  const auto bits = philox({static_cast<uint32_t>(key.step) | attempt << 24, key.sample | key.part << 12,
                            static_cast<uint32_t>(key.line), static_cast<uint32_t>(key.line >> 32)},
                           {static_cast<uint32_t>(key.seed), static_cast<uint32_t>(key.seed >> 32)});
  return static_cast<double>((uint64_t{bits[0]} << 32 | bits[1]) >> 11) * 0x1p-53;
}

void Sampler::begin(Sentence& s) {
  s.live.assign(static_cast<size_t>(s.width), {{{special_.bos}, {}}, 0, {}, 0});
  for (size_t i = 0; i < s.live.size(); ++i) s.live[i].sample = static_cast<uint32_t>(i);
  s.finished.assign(s.live.size(), {{}, NAN, NAN, {}});
}

DrawKey Sampler::key(const Sentence& s, const Live& live) const {
  const Request& r = rules_.request(s.source);
  return {options_.sampling->seed, r.line, r.part, live.sample, static_cast<int64_t>(live.prefix.ids.size())};
}

void Sampler::choose(Context& cx, Tensor logits, std::span<Sentence> sentences, std::span<const int64_t> first) {
  RuledTokens tokens(cx, logits, best_of_a_row(*options_.sampling), special_);
  for (size_t i = 0; i < sentences.size(); ++i) {
    Sentence& s = sentences[i];
    std::vector<Live> next_live;
    for (size_t j = 0; j < s.live.size(); ++j) {
      const Live& live = s.live[j];
      const int64_t row = first[i] + static_cast<int64_t>(j);
      const bool last = static_cast<int64_t>(live.prefix.ids.size()) >= s.cap;
      const std::optional<Token> token =
          last ? Token{tokens.score(row, special_.eos), special_.eos} : next(s, live, tokens, row);
      if (token && token->id != special_.eos)
        next_live.push_back(extended(live, token->id, live.score + token->score, token->score, options_));
      else if (token && (!last || rules_.allows(rules_.partial(live.prefix.ids, s.source), special_.eos)))
        s.finished[live.sample] = finish(live, token->score, options_);
    }
    s.live = std::move(next_live);
    if (s.live.empty()) std::erase_if(s.finished, [](const Hypothesis& h) { return std::isnan(h.score); });
  }
}

std::optional<Token> Sampler::next(const Sentence& s, const Live& live, RuledTokens& tokens, int64_t row) const {
  const Partial so_far = rules_.partial(live.prefix.ids, s.source);
  const bool all = options_.sampling->top_k == 0 && options_.sampling->top_p == 1;
  return all ? of_all(so_far, key(s, live), tokens, row) : of_the_best(so_far, key(s, live), tokens, row);
}

std::optional<Token> Sampler::of_all(const Partial& so_far, const DrawKey& key, RuledTokens& tokens,
                                     int64_t row) const {
  const Tensor log_p = tokens.scores(row);
  std::vector<double> w = weights(log_p, tokens);
  for (uint32_t attempt = 0; attempt < attempts && !rules_.forced(so_far); ++attempt) {
    const auto id = static_cast<int32_t>(place(w, draw(key, attempt)));
    if (rules_.allows(so_far, id)) return Token{number(log_p, id), id};
    w[id] = 0;
  }
  for (size_t id = 0; id < w.size(); ++id)
    if (w[id] > 0 && !rules_.allows(so_far, static_cast<int32_t>(id))) w[id] = 0;
  const auto id = static_cast<int32_t>(place(w, draw(key, attempts)));
  if (w[id] == 0) return {};
  return Token{number(log_p, id), id};
}

// Of all tokens, relative to that of the best.
std::vector<double> Sampler::weights(Tensor log_p, const RuledTokens& tokens) const {
  std::vector<double> w(static_cast<size_t>(log_p.shape[1]));
  double best = -std::numeric_limits<double>::infinity();
  for (size_t id = 0; id < w.size(); ++id)
    if (tokens.writable(static_cast<int32_t>(id))) best = std::max(best, number(log_p, static_cast<int64_t>(id)));
  for (size_t id = 0; id < w.size(); ++id)
    if (tokens.writable(static_cast<int32_t>(id)))
      w[id] = std::exp((number(log_p, static_cast<int64_t>(id)) - best) / options_.sampling->temperature);
  return w;
}

std::optional<Token> Sampler::of_the_best(const Partial& so_far, const DrawKey& key, RuledTokens& tokens,
                                          int64_t row) const {
  const SamplingOptions& o = *options_.sampling;
  const Nucleus best =
      o.top_k > 0 || rules_.forced(so_far) ? of_the_first(so_far, tokens, row) : of_the_whole(so_far, tokens, row);
  double sum = 0;
  size_t n = 0;
  while (n < best.tokens.size() && sum < o.top_p * best.total) sum += best.weights[n++];
  if (n == 0) return {};
  return best.tokens[place(std::span(best.weights).first(n), draw(key, 0))];
}

// The top_k of what is allowed, or all of it.
Sampler::Nucleus Sampler::of_the_first(const Partial& so_far, RuledTokens& tokens, int64_t row) const {
  const SamplingOptions& o = *options_.sampling;
  Nucleus found;
  tokens.visit(row, so_far, rules_, [&](double score, int32_t id) {
    found.add({score, id}, o.temperature);
    found.total += found.weights.back();
    return o.top_k == 0 || static_cast<int64_t>(found.tokens.size()) < o.top_k;
  });
  return found;
}

// What is forbidden is no part of the whole. (Of what is not looked at, being too improbable, nobody knows.)
Sampler::Nucleus Sampler::of_the_whole(const Partial& so_far, RuledTokens& tokens, int64_t row) const {
  const SamplingOptions& o = *options_.sampling;
  Nucleus found;
  for (const double w : weights(tokens.scores(row), tokens)) found.total += w;
  double sum = 0, best = NAN;
  tokens.visit(row, [&](double score, int32_t id) {
    if (std::isnan(best)) best = score;
    const double w = std::exp((score - best) / o.temperature);
    if (!rules_.allows(so_far, id)) {
      found.total -= w;
      return sum < o.top_p * found.total;
    }
    found.tokens.push_back({score, id});
    found.weights.push_back(w);
    return (sum += w) < o.top_p * found.total;
  });
  return found;
}

}  // namespace hexapla
