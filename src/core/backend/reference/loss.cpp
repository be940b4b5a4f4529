// Softmax over the vocabulary and its cross-entropy, sections 3.4 and 5.4.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/reference/internal.h"

namespace hexapla::reference {
namespace {

double log_sum_exp(const double* x, int64_t n) {
  const double top = *std::max_element(x, x + n);
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += std::exp(x[i] - top);
  return top + std::log(sum);
}

// Turns logits into log-probabilities, row by row.
Rows log_probabilities(Rows x) {
  for (int64_t r = 0; r < x.rows; ++r) {
    const double lse = log_sum_exp(x[r], x.width);
    for (int64_t i = 0; i < x.width; ++i) x[r][i] -= lse;
  }
  return x;
}

int64_t label_of(const Rows& labels, int64_t n, int64_t classes) {
  const int64_t label = static_cast<int64_t>(labels[0][n]);
  HEXAPLA_CHECK(label >= 0 && label < classes, "label ", label, " of row ", n, " is not one of the ", classes,
                " classes");
  return label;
}

void store_losses(const LossInput& in, const Rows& log_p, Tensor loss, Tensor nll) {
  const Rows labels = load(in.labels);
  Rows smoothed(1, log_p.rows), plain(1, log_p.rows);
  for (int64_t n = 0; n < log_p.rows; ++n) {
    const double mean = std::accumulate(log_p[n], log_p[n] + log_p.width, 0.0) / static_cast<double>(log_p.width);
    plain[0][n] = -log_p[n][label_of(labels, n, log_p.width)];
    smoothed[0][n] = (1 - in.smoothing) * plain[0][n] - (in.smoothing == 0 ? 0 : in.smoothing * mean);
  }
  store(smoothed, loss);
  store(plain, nll);
}

// The gradient of scale * sum of the losses with respect to the logits: scale (p - target).
Rows gradient_of_logits(const LossInput& in, const Rows& log_p) {
  const Rows labels = load(in.labels);
  Rows g(log_p.rows, log_p.width);
  for (int64_t n = 0; n < g.rows; ++n) {
    for (int64_t i = 0; i < g.width; ++i)
      g[n][i] = in.scale * (std::exp(log_p[n][i]) - in.smoothing / static_cast<double>(g.width));
    g[n][label_of(labels, n, g.width)] -= in.scale * (1 - in.smoothing);
  }
  return g;
}

Rows log_probabilities(const LossInput& in) {
  return log_probabilities(product(load(in.x), load(in.w.values), load(in.b)));
}

}  // namespace

void Reference::cross_entropy(const LossInput& in, Tensor, Tensor loss, Tensor nll) {
  store_losses(in, log_probabilities(in), loss, nll);
}

void Reference::cross_entropy_with_gradient(const LossInput& in, Tensor, Tensor loss, Tensor nll, Tensor dx, Tensor dw,
                                            Tensor db) {
  const Rows log_p = log_probabilities(in);
  store_losses(in, log_p, loss, nll);
  const Rows g = gradient_of_logits(in, log_p);
  store(product(g, transpose(load(in.w.values)), {}), dx);
  if (dw) add_to(product(transpose(load(in.x)), g, {}), dw);
  add_to(sum_of_rows(g), db);
}

void Reference::log_softmax(Tensor x, Tensor y) { store(log_probabilities(load(x)), y); }

// Ordered by x itself, so that rounding the scores creates no new ties.
void Reference::log_softmax_top(Tensor x, int64_t k, Tensor scores, Tensor ids) {
  const Rows log_p = log_probabilities(load(x));
  Rows best(scores), indices(ids);
  std::vector<int64_t> order(static_cast<size_t>(log_p.width));
  for (int64_t n = 0; n < log_p.rows; ++n) {
    const double* row = log_p[n];
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + k, order.end(),
                      [row](int64_t a, int64_t b) { return row[a] > row[b] || (row[a] == row[b] && a < b); });
    for (int64_t i = 0; i < k; ++i) {
      best[n][i] = row[order[i]];
      indices[n][i] = static_cast<double>(order[i]);
    }
  }
  store(best, scores);
  store(indices, ids);
}

}  // namespace hexapla::reference
