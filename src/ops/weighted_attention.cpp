#include "ops/weighted_attention.h"

#include <limits>

#include "base/compute/parallel.h"
#include "base/scope.h"

namespace hexapla {
namespace {

using Row = std::vector<double>;

// Row `row` of head h of [N, H, d].
Row load(Tensor t, int64_t row, int64_t h) {
  const int64_t at = row * t.strides[0] + h * t.strides[1];
  Row x(static_cast<size_t>(t.shape[2]));
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = t.dtype == DType::f64 ? t.data<double>()[at + int64_t(i)] : t.data<float>()[at + int64_t(i)];
  return x;
}

void store(const Row& x, Tensor t, int64_t row, int64_t h) {
  const int64_t at = row * t.strides[0] + h * t.strides[1];
  for (size_t i = 0; i < x.size(); ++i)
    if (t.dtype == DType::f64)
      t.data<double>()[at + int64_t(i)] = x[i];
    else
      t.data<float>()[at + int64_t(i)] = static_cast<float>(x[i]);
}

void store(const std::vector<Row>& rows, Tensor t, int64_t first, int64_t h) {
  for (size_t i = 0; i < rows.size(); ++i) store(rows[i], t, first + int64_t(i), h);
}

std::vector<Row> load(Tensor t, int64_t first, int64_t n, int64_t h) {
  std::vector<Row> rows;
  for (int64_t i = 0; i < n; ++i) rows.push_back(load(t, first + i, h));
  return rows;
}

void axpy(double a, const Row& x, Row& y) {
  for (size_t i = 0; i < x.size(); ++i) y[i] += a * x[i];
}

template <class W>
std::vector<Row> prepared(std::vector<Row> rows) {
  for (Row& row : rows) W::prepare(row);
  return rows;
}

// One head of one sequence; q and k are prepared.
struct Head {
  std::vector<Row> q, k, v;
  double scale;
  std::vector<std::vector<size_t>> seen;  // the keys that each query sees, rising
};

bool hidden(Tensor mask, int64_t row, int64_t u) {
  if (!mask) return false;
  const int64_t at = row * mask.strides[0] + u;
  const double m = mask.dtype == DType::f64 ? mask.data<double>()[at] : mask.data<float>()[at];
  HEXAPLA_CHECK(m == 0 || m == -std::numeric_limits<double>::infinity(),
                "attention without softmax takes a mask of 0 and -inf, not ", m);
  return m != 0;
}

template <class W>
Head head_of(const AttentionInput& in, int64_t b, int64_t h) {
  HEXAPLA_CHECK(!in.dropout, "attention without softmax has no dropout of its weights");
  const int64_t first = in.queries[b], key = in.keys[b], n = in.queries[b + 1] - first, m = in.keys[b + 1] - key;
  Head a{prepared<W>(load(in.q, first, n, h)), prepared<W>(load(in.k, key, m, h)), load(in.v, key, m, h), in.scale, {}};
  for (int64_t t = 0; t < n; ++t) {
    a.seen.emplace_back();
    for (int64_t u = 0; u < (in.causal ? std::min(m, t + 1) : m); ++u)
      if (!hidden(in.mask, first + t, u)) a.seen.back().push_back(static_cast<size_t>(u));
  }
  return a;
}

template <class W>
Row scores_of(const Head& a, size_t t) {
  Row s;
  for (const size_t u : a.seen[t]) s.push_back(W::score(a.scale, a.q[t], a.k[u]));
  return s;
}

template <class W>
Row weighed(Row s) {
  if (!s.empty()) W::weigh(s);
  return s;
}

template <class F>
void each_head(const AttentionInput& in, F f) {
  const int64_t heads = in.q.shape[1], sequences = static_cast<int64_t>(in.queries.size()) - 1;
  parallel_for(sequences * heads, [&](int64_t i) { f(i / heads, i % heads); });
}

template <class W>
void observe_weights(Context& cx, const AttentionInput& in) {
  if (!cx.observer) return;
  for (size_t b = 0; b + 1 < in.queries.size(); ++b) {
    Arena::Frame frame(cx.arena);
    const AttentionWeights w = WeightedAttention<W>::weights(cx, in, b);
    cx.observer->observe_attention(Scope::path(), static_cast<int64_t>(b), w.scores, w.weights);
  }
}

}  // namespace

template <class W>
Attention WeightedAttention<W>::forward(Context& cx, const AttentionInput& in) {
  const int64_t n = in.q.shape[0], heads = in.q.shape[1], d_v = in.v.shape[2];
  Attention result{cx.keep({n, heads * d_v}), cx.keep({n, heads})};
  fill(cx, result.lse, 0);
  const Tensor out = result.out.heads(heads);
  each_head(in, [&](int64_t b, int64_t h) {
    const Head a = head_of<W>(in, b, h);
    for (size_t t = 0; t < a.q.size(); ++t) {
      const Row w = weighed<W>(scores_of<W>(a, t));
      Row y(static_cast<size_t>(d_v));
      for (size_t i = 0; i < w.size(); ++i) axpy(w[i], a.v[a.seen[t][i]], y);
      store(y, out, in.queries[b] + int64_t(t), h);
    }
  });
  observe_weights<W>(cx, in);
  return result;
}

template <class W>
void WeightedAttention<W>::backward(const AttentionInput& in, Tensor d_out, const AttentionGradient& d) {
  const Tensor dy = d_out.heads(in.q.shape[1]);
  each_head(in, [&](int64_t b, int64_t h) {
    const Head a = head_of<W>(in, b, h);
    const Row none(static_cast<size_t>(in.q.shape[2])), nothing(static_cast<size_t>(in.v.shape[2]));
    std::vector<Row> dq(a.q.size(), none), dk(a.k.size(), none), dv(a.v.size(), nothing);
    for (size_t t = 0; t < a.q.size(); ++t) {
      const Row s = scores_of<W>(a, t), w = weighed<W>(s), g = load(dy, in.queries[b] + int64_t(t), h);
      Row dw;
      for (size_t i = 0; i < w.size(); ++i) {
        const size_t u = a.seen[t][i];
        dw.push_back(std::inner_product(g.begin(), g.end(), a.v[u].begin(), 0.0));
        axpy(w[i], g, dv[u]);
      }
      W::backward(s, w, dw);
      for (size_t i = 0; i < w.size(); ++i) {
        const size_t u = a.seen[t][i];
        W::score_backward(a.scale, dw[i], a.q[t], a.k[u], dq[t], dk[u]);
      }
    }
    for (size_t t = 0; t < a.q.size(); ++t) W::prepare_backward(a.q[t], dq[t]);
    for (size_t u = 0; u < a.k.size(); ++u) W::prepare_backward(a.k[u], dk[u]);
    store(dq, d.q, in.queries[b], h);
    store(dk, d.k, in.keys[b], h);
    store(dv, d.v, in.keys[b], h);
  });
}

template <class W>
AttentionWeights WeightedAttention<W>::weights(Context& cx, const AttentionInput& in, size_t b) {
  const int64_t heads = in.q.shape[1], n = in.queries[b + 1] - in.queries[b], m = in.keys[b + 1] - in.keys[b];
  Tensor scores = cx.scratch({heads, n, m}, DType::f64), weights = cx.scratch({heads, n, m}, DType::f64);
  std::fill_n(scores.data<double>(), scores.shape.size(), -std::numeric_limits<double>::infinity());
  std::fill_n(weights.data<double>(), weights.shape.size(), 0.0);
  for (int64_t h = 0; h < heads; ++h) {
    const Head a = head_of<W>(in, int64_t(b), h);
    for (size_t t = 0; t < a.q.size(); ++t) {
      const Row s = scores_of<W>(a, t), w = weighed<W>(s);
      for (size_t i = 0; i < s.size(); ++i) {
        const int64_t at = (h * n + int64_t(t)) * m + int64_t(a.seen[t][i]);
        scores.data<double>()[at] = s[i];
        weights.data<double>()[at] = w[i];
      }
    }
  }
  return {scores, weights};
}

template <class W>
Tensor WeightedAttention<W>::step(Context& cx, Tensor q, Tensor k, Tensor v, const StepRows& rows, double scale) {
  const int64_t heads = q.shape[1];
  const Tensor out = cx.keep({q.shape[0], heads * v.shape[2]});
  parallel_for(q.shape[0], [&](int64_t n) {
    const int32_t* index = rows.index.data<int32_t>() + n * rows.index.strides[0];
    for (int64_t h = 0; h < heads; ++h) {
      Row query = load(q, n, h);
      W::prepare(query);
      Row w, y(static_cast<size_t>(v.shape[2]));
      for (int32_t u = 0; u < rows.lengths.data<int32_t>()[n]; ++u) {
        Row key = load(k, index[u], h);
        W::prepare(key);
        w.push_back(W::score(scale, query, key));
      }
      w = weighed<W>(w);
      for (size_t u = 0; u < w.size(); ++u) axpy(w[u], load(v, index[u], h), y);
      store(y, out.heads(heads), n, h);
    }
  });
  return out;
}

template struct WeightedAttention<weighing::Sigmoid>;
template struct WeightedAttention<weighing::Relu>;
template struct WeightedAttention<weighing::Unnormalized>;
template struct WeightedAttention<weighing::TopFour>;
template struct WeightedAttention<weighing::LinearKernel>;

}  // namespace hexapla
