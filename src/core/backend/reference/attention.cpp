// Attention as in the paper, section 3.2.1: all scores of a query, their softmax, the weighted sum.
#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/dropout_layout.h"
#include "backend/reference/internal.h"

namespace hexapla::reference {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// The two kinds of scores between a query q and a key k of head h, and their gradients.
struct ScaledDot {
  double scale;
  int64_t d;
  double score(int64_t, const double* q, const double* k) const { return scale * dot(q, k, d); }
  void backward(int64_t, double ds, const double* q, const double* k, double* dq, double* dk) {
    axpy(scale * ds, k, dq, d);
    axpy(scale * ds, q, dk, d);
  }
};

struct Additive {
  Rows w, dw;
  double score(int64_t h, const double* q, const double* k) const {
    double sum = 0;
    for (int64_t i = 0; i < w.width; ++i) sum += w[h][i] * std::tanh(q[i] + k[i]);
    return sum;
  }
  void backward(int64_t h, double ds, const double* q, const double* k, double* dq, double* dk) {
    for (int64_t i = 0; i < w.width; ++i) {
      const double t = std::tanh(q[i] + k[i]), d = ds * w[h][i] * (1 - t * t);
      dq[i] += d;
      dk[i] += d;
      dw[h][i] += ds * t;
    }
  }
};

Additive additive(Tensor w) { return {load(w), Rows(w)}; }

// Turns scores into weights, in place; returns the log of the sum of exp(scores). A row that sees
// no key gets weights 0.
double softmax(std::vector<double>& s) {
  const double top = s.empty() ? kMinusInfinity : *std::max_element(s.begin(), s.end());
  if (top == kMinusInfinity) {
    std::fill(s.begin(), s.end(), 0.0);
    return kMinusInfinity;
  }
  double sum = 0;
  for (double& x : s) sum += x = std::exp(x - top);
  for (double& x : s) x /= sum;
  return top + std::log(sum);
}

// q, k, v with one row per (row, head): row n * heads + h.
struct LoadedAttention {
  const AttentionInput& in;
  int64_t heads;
  Rows q, k, v, mask;
  explicit LoadedAttention(const AttentionInput& a)
      : in(a), heads(a.q.shape[1]), q(load(a.q)), k(load(a.k)), v(load(a.v)), mask(load(a.mask)) {}
};

// One query of one head, and the keys visible to it.
struct AttentionQuery {
  int64_t row, head, at;    // at = row * heads + head
  int64_t first_key, keys;  // rows first_key .. first_key + keys - 1
};

template <class F>
void each_query(const LoadedAttention& a, F&& f) {
  const Offsets queries = a.in.queries, keys = a.in.keys;
  for (size_t b = 0; b + 1 < queries.size(); ++b)
    for (int64_t t = queries[b]; t < queries[b + 1]; ++t)
      for (int64_t h = 0; h < a.heads; ++h) {
        const int64_t all = keys[b + 1] - keys[b];
        f(AttentionQuery{t, h, t * a.heads + h, keys[b], a.in.causal ? std::min(all, t - queries[b] + 1) : all});
      }
}

double weight_factor(const LoadedAttention& a, const AttentionQuery& query, int64_t u) {
  const auto [row, column] = dropout_layout::weight_element(query.row, u, query.head, a.heads);
  return dropout_factor(a.in.dropout, row, column);
}

template <class Scores>
std::vector<double> scores_of(const LoadedAttention& a, const Scores& scores, const AttentionQuery& query) {
  std::vector<double> s(static_cast<size_t>(query.keys));
  for (int64_t u = 0; u < query.keys; ++u) {
    const double* key = a.k[(query.first_key + u) * a.heads + query.head];
    s[u] = scores.score(query.head, a.q[query.at], key) + (a.mask ? a.mask[query.row][u] : 0);
  }
  return s;
}

template <class Scores>
void forward(const LoadedAttention& a, const Scores& scores, Tensor out, Tensor lse) {
  Rows y(out.rows() * a.heads, a.v.width), sums(lse);
  each_query(a, [&](const AttentionQuery& query) {
    std::vector<double> weights = scores_of(a, scores, query);
    sums[query.row][query.head] = softmax(weights);
    for (int64_t u = 0; u < query.keys; ++u)
      axpy(weights[u] * weight_factor(a, query, u), a.v[(query.first_key + u) * a.heads + query.head], y[query.at],
           y.width);
  });
  store(sums, lse);
  store(y, out.heads(a.heads));
}

// Recomputes the weights from q and k, which is more accurate than using the rounded lse.
template <class Scores>
void backward(const LoadedAttention& a, Scores& scores, Tensor d_out, Tensor dq, Tensor dk, Tensor dv) {
  const Rows dy = load(d_out.heads(a.heads));
  Rows gq(dq), gk(dk), gv(dv);
  each_query(a, [&](const AttentionQuery& query) {
    std::vector<double> weights = scores_of(a, scores, query), d_weights(weights.size());
    softmax(weights);
    double mean = 0;
    for (int64_t u = 0; u < query.keys; ++u) {
      const int64_t key = (query.first_key + u) * a.heads + query.head;
      const double factor = weight_factor(a, query, u);
      d_weights[u] = factor * dot(dy[query.at], a.v[key], dy.width);
      mean += weights[u] * d_weights[u];
      axpy(weights[u] * factor, dy[query.at], gv[key], dy.width);
    }
    for (int64_t u = 0; u < query.keys; ++u) {
      const int64_t key = (query.first_key + u) * a.heads + query.head;
      scores.backward(query.head, weights[u] * (d_weights[u] - mean), a.q[query.at], a.k[key], gq[query.at], gk[key]);
    }
  });
  store(gq, dq);
  store(gk, dk);
  store(gv, dv);
}

struct StepInput {
  Tensor q, k, v, index, lengths;
};

template <class Scores>
void step(const StepInput& in, const Scores& scores, Tensor out) {
  const int64_t heads = in.q.shape[1];
  const Rows q = load(in.q), k = load(in.k), v = load(in.v), index = load(in.index), lengths = load(in.lengths);
  Rows y(q.rows, v.width);
  for (int64_t at = 0; at < q.rows; ++at) {
    const int64_t n = at / heads, h = at % heads;
    const auto key = [&](int64_t u) { return static_cast<int64_t>(index[n][u]) * heads + h; };
    std::vector<double> weights(static_cast<size_t>(lengths[0][n]));
    for (size_t u = 0; u < weights.size(); ++u) weights[u] = scores.score(h, q[at], k[key(u)]);
    softmax(weights);
    for (size_t u = 0; u < weights.size(); ++u) axpy(weights[u], v[key(u)], y[at], v.width);
  }
  store(y, out.heads(heads));
}

}  // namespace

void Reference::attention(const AttentionInput& a, Tensor out, Tensor lse) {
  forward(LoadedAttention(a), ScaledDot{a.scale, a.q.shape[2]}, out, lse);
}

void Reference::attention_backward(const AttentionInput& a, Tensor, Tensor, Tensor d_out, Tensor dq, Tensor dk,
                                   Tensor dv) {
  ScaledDot scores{a.scale, a.q.shape[2]};
  backward(LoadedAttention(a), scores, d_out, dq, dk, dv);
}

void Reference::additive_attention(const AttentionInput& a, Tensor out, Tensor lse) {
  forward(LoadedAttention(a), additive(a.additive), out, lse);
}

void Reference::additive_attention_backward(const AttentionInput& a, Tensor, Tensor, Tensor d_out, Tensor dq, Tensor dk,
                                            Tensor dv, Tensor dw) {
  Additive scores = additive(a.additive);
  backward(LoadedAttention(a), scores, d_out, dq, dk, dv);
  add_to(scores.dw, dw);
}

void Reference::attention_step(Tensor q, Tensor k, Tensor v, Tensor index, Tensor lengths, double scale, Tensor out) {
  step({q, k, v, index, lengths}, ScaledDot{scale, q.shape[2]}, out);
}

void Reference::additive_attention_step(Tensor q, Tensor k, Tensor v, Tensor w, Tensor index, Tensor lengths,
                                        Tensor out) {
  step({q, k, v, index, lengths}, additive(w), out);
}

}  // namespace hexapla::reference
