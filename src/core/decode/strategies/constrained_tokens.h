#pragma once
// The most probable tokens of each row that the constraints allow. Probabilities stay the model's:
// forbidden tokens are skipped without renormalization.
#include <algorithm>
#include <memory>
#include <vector>

#include "decode/constraints/constraints.h"
#include "decode/strategies/best_tokens.h"

namespace hexapla::decode {

class ConstrainedTokens {
 public:
  // needed: the number of best tokens found for each row; a row is sorted whole only if the
  // constraints allow fewer.
  ConstrainedTokens(Context& cx, Tensor logits, int64_t needed, const SpecialIds& special)
      : cx_(cx),
        special_(special),
        best_(cx, logits, needed, special),
        logits_(logits),
        here_(rows()),
        log_totals_(rows()) {}

  // f(score, id) for every token but <s> and padding, best first, until it returns false.
  template <class F>
  void visit(int64_t row, F&& f) {
    bool wanted = true;
    text::Ids seen;
    best_.visit(row, [&](double score, int32_t id) {
      seen.push_back(id);
      return wanted = f(score, id);
    });
    if (!wanted) return;
    const auto unseen = [&](int32_t id) { return std::find(seen.begin(), seen.end(), id) == seen.end(); };
    visit_sorted(row, unseen, f);
  }
  // Only the tokens that may follow.
  template <class F>
  void visit(int64_t row, const Partial& so_far, const Constraints& rules, F&& f) {
    if (const auto opening = Constraints::opening(so_far)) {  // no choice: it costs nothing
      f(0.0, *opening);
      return;
    }
    const auto allowed = [&](int32_t id) { return rules.allows(so_far, id); };
    if (rules.forced(so_far)) return visit_sorted(row, allowed, f);
    visit(row, [&](double score, int32_t id) { return !allowed(id) || f(score, id); });
  }

  // log p of any token.
  double score(int64_t row, int32_t id) { return number(scores(row), id); }
  // The logit of any token, as the model computed it.
  double logit(int64_t row, int32_t id) { return score(row, id) + log_totals_[row]; }
  // [1, V]: log p of every token. RunError: NaN.
  Tensor scores(int64_t row) {
    if (!here_[row]) {
      const Tensor r = logits_.slice(row, 1);
      const Token best = best_.first(row);
      log_totals_[row] = number(OnHost(cx_.backend, r.columns(best.id, 1)), 0) - best.score;
      log_softmax_in_place(cx_, r);
      here_[row] = std::make_unique<OnHost>(cx_.backend, r);
      if (std::isnan(number(*here_[row], 0))) throw_not_a_number();
    }
    return *here_[row];
  }
  bool writable(int32_t id) const { return special_.writable(id); }

 private:
  size_t rows() const { return static_cast<size_t>(logits_.shape[0]); }

  // The order of BestTokens: by score, equal scores by id.
  template <class Wanted, class F>
  void visit_sorted(int64_t row, Wanted&& wanted, F&& f) {
    const Tensor log_p = scores(row);
    text::Ids ids;
    for (int32_t id = 0; id < logits_.shape[1]; ++id)
      if (writable(id) && wanted(id)) ids.push_back(id);
    std::stable_sort(ids.begin(), ids.end(), [&](int32_t a, int32_t b) { return number(log_p, a) > number(log_p, b); });
    for (const int32_t id : ids)
      if (!f(number(log_p, id), id)) return;
  }

  Context& cx_;
  SpecialIds special_;
  BestTokens best_;
  Tensor logits_;
  std::vector<std::unique_ptr<OnHost>> here_;  // of normalized rows
  std::vector<double> log_totals_;             // log of the sum of exp(logit), for normalized rows
};

}  // namespace hexapla::decode
