#pragma once
// Penalizes tokens that the translation already has (Keskar et al. 2019, section 4.1), like
// transformers: a beam uses penalty * log p; a search with one hypothesis divides a logit above 0
// by the penalty and multiplies other logits. <s>, which may equal </s>, counts as present.
// Probabilities stay the model's; the penalty is kept separately.
#include <algorithm>
#include <cmath>
#include <vector>

#include "decode/strategies/constrained_tokens.h"

namespace hexapla::decode {

// The number added to the log-probability log_p of a token that occurs again; above 0 if the penalty
// is below 1. logit: the token's, before the softmax.
inline double lost_by_repetition(const SearchOptions& options, double log_p, double logit) {
  const double penalty = options.repetition_penalty;
  if (options.beam_size > 1) return (penalty - 1) * log_p;
  return logit < 0 ? logit * (penalty - 1) : logit / penalty - logit;
}

class RepetitionPenalty {
 public:
  explicit RepetitionPenalty(const SearchOptions& options) : options_(options) {}

  // The number added to log p of the next token.
  double lost(ConstrainedTokens& tokens, int64_t row, const Partial& so_far, int32_t id) const {
    if (off() || !repeats(so_far, id)) return 0;
    const double log_p = tokens.score(row, id);
    return std::isfinite(log_p) ? lost_by_repetition(options_, log_p, tokens.logit(row, id)) : 0;
  }

  // f(log p, lost, id) for every token that may follow, by log p + lost, best first, until it
  // returns false.
  template <class F>
  void visit(ConstrainedTokens& tokens, int64_t row, const Partial& so_far, const Constraints& rules, F&& f) const {
    const std::vector<Weighed> again = repeated(tokens, row, so_far, rules);
    auto next = again.begin();
    bool wanted = true;
    const auto visit_above = [&](double score) {
      for (; wanted && next != again.end() && next->log_p + next->lost > score; ++next)
        wanted = f(next->log_p, next->lost, next->id);
    };
    tokens.visit(row, so_far, rules, [&](double log_p, int32_t id) {
      if (!again.empty() && repeats(so_far, id)) return true;  // it is in `again`
      visit_above(log_p);
      return wanted = wanted && f(log_p, 0.0, id);
    });
    visit_above(-std::numeric_limits<double>::infinity());
  }

 private:
  struct Weighed {
    double log_p, lost;
    int32_t id;
  };
  bool off() const { return options_.repetition_penalty == 1; }
  static bool repeats(const Partial& so_far, int32_t id) {
    return std::find(so_far.ids.begin(), so_far.ids.end(), id) != so_far.ids.end();
  }
  // The tokens of the translation so far that may follow again, best first.
  std::vector<Weighed> repeated(ConstrainedTokens& tokens, int64_t row, const Partial& so_far,
                                const Constraints& rules) const {
    std::vector<Weighed> all;
    if (off() || Constraints::opening(so_far)) return all;
    text::Ids ids = so_far.ids;
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    for (const int32_t id : ids) {
      if (!tokens.writable(id) || !rules.allows(so_far, id)) continue;
      const double log_p = tokens.score(row, id);
      if (std::isfinite(log_p)) all.push_back({log_p, lost(tokens, row, so_far, id), id});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Weighed& a, const Weighed& b) { return a.log_p + a.lost > b.log_p + b.lost; });
    return all;
  }

  const SearchOptions& options_;
};

}  // namespace hexapla::decode
