#include "decode/strategies/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/compute/random.h"
#include "decode/strategies/nucleus.h"

namespace hexapla::decode {
namespace {

constexpr uint32_t kAttempts = 64;  // before all forbidden tokens are removed from the distribution

double total(std::span<const double> weights) {
  double sum = 0;
  for (const double w : weights) sum += w;
  return sum;
}

// The first index at which the running sum of the weights exceeds u times their total; none if all
// are 0.
std::optional<size_t> index_at(std::span<const double> weights, double u) {
  const double wanted = u * total(weights);
  double running = 0;
  std::optional<size_t> last;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    last = i;
    if ((running += weights[i]) > wanted) break;
  }
  return last;
}

// The tokens of a row of logits that can be sampled at all.
std::vector<bool> writable(Tensor log_p, const ConstrainedTokens& tokens) {
  std::vector<bool> open(static_cast<size_t>(log_p.shape[1]));
  for (size_t id = 0; id < open.size(); ++id) open[id] = tokens.writable(static_cast<int32_t>(id));
  return open;
}

// exp(log p / temperature) of the open tokens, relative to the best open one: relative to a better
// forbidden token, all could be 0 at a low temperature.
std::vector<double> weights(Tensor log_p, const std::vector<bool>& open, double temperature) {
  std::vector<double> w(open.size());
  double best = -std::numeric_limits<double>::infinity();
  for (size_t id = 0; id < w.size(); ++id)
    if (open[id]) best = std::max(best, number(log_p, static_cast<int64_t>(id)));
  for (size_t id = 0; id < w.size() && std::isfinite(best); ++id)
    if (open[id]) w[id] = std::exp((number(log_p, static_cast<int64_t>(id)) - best) / temperature);
  return w;
}

}  // namespace

// How many tokens of a row are selected at once; if a nucleus has more, the row is sorted.
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

DrawKey Sampler::key(const Sentence& s, const BeamEntry& live) const {
  const SentenceConstraints& r = *s.constraints;
  return {options_.sampling->seed, r.line, r.part, live.sample, std::ssize(live.prefix.ids)};
}

void Sampler::choose(Context& cx, const NextLogits& logits, std::span<Sentence> sentences,
                     std::span<const int64_t> first) {
  ConstrainedTokens tokens(cx, logits.whole(cx), best_of_a_row(*options_.sampling), special_);
  for (size_t i = 0; i < sentences.size(); ++i) {
    Sentence& s = sentences[i];
    std::vector<BeamEntry> next_live;
    for (size_t j = 0; j < s.live.size(); ++j) {
      const BeamEntry& live = s.live[j];
      const int64_t row = first[i] + static_cast<int64_t>(j);
      const bool last = std::ssize(live.prefix.ids) >= s.cap;
      const std::optional<Token> token =
          last ? Token{tokens.score(row, special_.eos), special_.eos} : next(s, live, tokens, row);
      if (token && token->id != special_.eos)
        next_live.push_back(extended(live, token->id, live.score + token->score, token->score, options_));
      else if (token &&
               (!last || constraints_.allows(constraints_.partial(live.prefix.ids, *s.constraints), special_.eos)))
        s.finished[live.sample] = finish(live, token->score, options_);
    }
    s.live = std::move(next_live);
    if (s.live.empty()) std::erase_if(s.finished, [](const Hypothesis& h) { return std::isnan(h.score); });
  }
}

std::optional<Token> Sampler::next(const Sentence& s, const BeamEntry& live, ConstrainedTokens& tokens,
                                   int64_t row) const {
  const Partial so_far = constraints_.partial(live.prefix.ids, *s.constraints);
  if (const auto opening = Constraints::opening(so_far)) return Token{0, *opening};
  const bool all = options_.sampling->top_k == 0 && options_.sampling->top_p == 1;
  return all ? of_all(so_far, key(s, live), tokens, row) : of_the_best(so_far, key(s, live), tokens, row);
}

std::optional<Token> Sampler::of_all(const Partial& so_far, const DrawKey& key, ConstrainedTokens& tokens,
                                     int64_t row) const {
  const double temperature = options_.sampling->temperature;
  const Tensor log_p = tokens.scores(row);
  const auto token = [&](size_t id) {
    return Token{number(log_p, static_cast<int64_t>(id)), static_cast<int32_t>(id)};
  };
  std::vector<bool> open = writable(log_p, tokens);
  std::vector<double> w = weights(log_p, open, temperature);
  for (uint32_t attempt = 0; attempt < kAttempts && !constraints_.forced(so_far); ++attempt) {
    const std::optional<size_t> id = index_at(w, draw(key, attempt));
    if (!id) return {};
    if (may_follow(so_far, static_cast<int32_t>(*id))) return token(*id);
    open[*id] = false;
    if (std::exchange(w[*id], 0) == 1) w = weights(log_p, open, temperature);  // the others were relative to this one
  }
  for (size_t id = 0; id < open.size(); ++id) open[id] = open[id] && may_follow(so_far, static_cast<int32_t>(id));
  const std::optional<size_t> id = index_at(weights(log_p, open, temperature), draw(key, kAttempts));
  return id ? std::optional(token(*id)) : std::nullopt;
}

std::optional<Token> Sampler::of_the_best(const Partial& so_far, const DrawKey& key, ConstrainedTokens& tokens,
                                          int64_t row) const {
  const SamplingOptions& o = *options_.sampling;
  const Nucleus best = o.top_k > 0 || constraints_.forced(so_far) ? of_the_first(so_far, tokens, row)
                                                                  : of_the_whole(so_far, tokens, row);
  const size_t n = nucleus_size(best.weights, o.top_p, best.total);
  if (n == 0) return {};
  return best.tokens[index_at(std::span(best.weights).first(n), draw(key, 0)).value()];
}

// The top_k of the allowed tokens, or all of them.
Sampler::Nucleus Sampler::of_the_first(const Partial& so_far, ConstrainedTokens& tokens, int64_t row) const {
  const SamplingOptions& o = *options_.sampling;
  Nucleus found;
  tokens.visit(row, so_far, constraints_, [&](double score, int32_t id) {
    if (constraints_.late(so_far, id)) return true;
    found.total += found.add({score, id}, o.temperature);
    return o.top_k == 0 || std::ssize(found.tokens) < o.top_k;
  });
  return found;
}

// Forbidden tokens do not count in the total. (Except those too improbable to be looked at.)
Sampler::Nucleus Sampler::of_the_whole(const Partial& so_far, ConstrainedTokens& tokens, int64_t row) const {
  const SamplingOptions& o = *options_.sampling;
  const Tensor log_p = tokens.scores(row);
  std::vector<bool> open = writable(log_p, tokens);
  Nucleus found;
  double sum = 0;
  tokens.visit(row, [&](double score, int32_t id) {
    const bool allowed = constraints_.allows(so_far, id);
    if (allowed)
      sum += found.add({score, id}, o.temperature);
    else
      open[id] = false;
    if (found.tokens.empty()) return true;
    if (allowed && found.tokens.size() == 1) found.total = total(weights(log_p, open, o.temperature));
    if (!allowed) found.total -= found.weight(score, o.temperature);
    return sum < o.top_p * found.total;
  });
  return found;
}

}  // namespace hexapla::decode
