#pragma once
// The most probable next tokens from a step's logits.
#include <cmath>
#include <cstdint>
#include <vector>

#include "backend/on_host.h"
#include "decode/steps/hypothesis.h"
#include "decode/steps/next_logits.h"
#include "ops/ops.h"

namespace hexapla::decode {

inline double number(Tensor t, int64_t i) { return t.dtype == DType::f64 ? t.data<double>()[i] : t.data<float>()[i]; }

struct Token {
  double score;  // log-probability
  int32_t id;
};

[[noreturn]] inline void throw_not_a_number() {
  throw RunError(
      "the model's output is not finite, so there is no best token; train it again, with a "
      "lower learning rate if its loss was not finite, either");
}

// The k most probable writable tokens of each row of logits, best first.
class BestTokens {
 public:
  // Takes two more than needed, because <s> and padding may be among them.
  BestTokens(Context& cx, const NextLogits& logits, int64_t needed, const SpecialIds& special)
      : special_(special),
        logits_(logits),
        k_(std::min(needed + 2, logits.values.shape[1])),
        top_(log_softmax_top(cx, logits.values, k_)),
        scores_(cx.backend, top_.scores),
        ids_(cx.backend, top_.ids) {}
  // Calls f(score, id), best first, until it returns false; skips tokens that cannot be written.
  // RunError: NaN, or the best score of the row is infinite.
  template <class F>
  void visit(int64_t row, F&& f) const {
    for (int64_t i = row * k_; i < (row + 1) * k_; ++i) {
      const double score = number(scores_, i);
      if (std::isnan(score) || (i == row * k_ && std::isinf(score))) throw_not_a_number();
      if (std::isinf(score)) return;
      const int32_t id = logits_.id(row, ids_->data<int32_t>()[i]);
      if (special_.writable(id) && !f(score, id)) return;
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
  NextLogits logits_;
  int64_t k_;
  Top top_;
  OnHost scores_, ids_;
};

// log p(</s>) of each row.
inline std::vector<double> end_scores(Context& cx, const NextLogits& logits, const SpecialIds& special) {
  const OnHost log_p(cx.backend, log_softmax(cx, logits.values));
  std::vector<double> scores;
  for (int64_t i = 0; i < logits.rows(); ++i) {
    scores.push_back(number(log_p, i * log_p->shape[1] + logits.column(i, special.eos)));
    if (std::isnan(scores.back())) throw_not_a_number();
  }
  return scores;
}

}  // namespace hexapla::decode
