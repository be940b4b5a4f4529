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

// sum_k p_k (log p_k - log q_k)
double kl(const double* log_p, const double* log_q, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += std::exp(log_p[i]) * (log_p[i] - log_q[i]);
  return sum;
}

void store_divergence(const Rows& log_p, Tensor divergence) {
  Rows d(1, log_p.rows / 2);
  for (int64_t n = 0; n < d.width; ++n) {
    const double *p = log_p[n], *q = log_p[d.width + n];
    d[0][n] = (kl(p, q, log_p.width) + kl(q, p, log_p.width)) / 2;
  }
  store(d, divergence);
}

// Adds the gradient of weight * (KL(P || Q) + KL(Q || P)) with respect to the logits of P.
void add_gradient_of_divergence(const double* log_p, const double* log_q, double weight, int64_t n, double* g) {
  const double d = kl(log_p, log_q, n);
  for (int64_t i = 0; i < n; ++i) {
    const double p = std::exp(log_p[i]), q = std::exp(log_q[i]);
    g[i] += weight * (p * (log_p[i] - log_q[i] - d) + p - q);
  }
}

// From the gradient of the logits to the gradients of the output layer.
void backward(const LossInput& in, const Rows& g, Tensor dx, Tensor dw, Tensor db) {
  store(product(g, transpose(load(in.w.values)), {}), dx);
  if (dw) add_to(product(transpose(load(in.x)), g, {}), dw);
  add_to(sum_of_rows(g), db);
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
  backward(in, gradient_of_logits(in, log_p), dx, dw, db);
}

void Reference::r_drop_with_gradient(const RDropInput& r, Tensor, Tensor loss, Tensor nll, Tensor divergence, Tensor dx,
                                     Tensor dw, Tensor db) {
  const LossInput& in = r.passes;
  const Rows log_p = log_probabilities(in);
  store_losses(in, log_p, loss, nll);
  store_divergence(log_p, divergence);
  Rows g = gradient_of_logits(in, log_p);
  const int64_t pairs = g.rows / 2;
  for (int64_t n = 0; n < g.rows; ++n)
    add_gradient_of_divergence(log_p[n], log_p[(n + pairs) % g.rows], in.scale * r.alpha / 2, g.width, g[n]);
  backward(in, g, dx, dw, db);
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
